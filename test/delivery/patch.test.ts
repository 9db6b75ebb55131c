import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  applyCommands,
  keptPatch,
  patchLimits,
  readKeptPatch,
  shownPatch,
} from "../../src/delivery/patch.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";

const what = "What was held back";
const shown = (patch: string | Uint8Array) => shownPatch(Buffer.from(patch), what);

describe("a patch in the job summary", () => {
  it("is shown in a block that it cannot close", () => {
    const { markdown, isExact } = shown("+```\n+````\n+Fixes #1 @octo\n");
    expect(markdown).toBe(
      "What was held back, as a patch for `git apply`. Read it before you do that:\n\n`````diff\n+```\n+````\n+Fixes #1 @octo\n`````",
    );
    expect(isExact).toBe(true);
  });

  it("holds no credential and nothing unseen, and says that it may not apply then", () => {
    const token = drawn("ghp_", 36);
    const { markdown, isExact } = shown(`+token: ${token}\n+a\u202eb\n`);
    expect(markdown).toContain("+token: (taken out: a GitHub token)\n+ab\n");
    expect(markdown).toContain("so it may not apply as it is. Read it before you do that:");
    expect(isExact).toBe(false);
  });

  it.each([
    ["ends of lines of another system", Buffer.from("+a\r\n")],
    ["bytes that are no text", Buffer.from([0x2b, 0xe4, 0x0a])],
    ["a control character", Buffer.from("+a\u0007\n")],
  ])("says so too of %s", (_, patch) => {
    expect(shown(patch)).toMatchObject({
      isExact: false,
      markdown: expect.stringContaining("it may not apply"),
    });
  });

  it("is cut after a line where it is too long, and says how long it is", () => {
    const { markdown, isExact } = shown("+a line of it\n".repeat(5000));
    expect(markdown).toContain("Its 70000 bytes are too many for this page, so this is only how it begins:");
    expect(markdown).not.toContain("may not apply");
    expect(markdown.length).toBeLessThan(21_000);
    expect(markdown).toMatch(/\n\+a line of it\n```$/);
    expect(isExact).toBe(false);
    expect(shown("x".repeat(60_001)).markdown).toContain("x".repeat(20_000));
    expect(shown("x".repeat(60_000)).isExact).toBe(true);
  });
});

describe("the commands for a patch", () => {
  it("bring it and apply it, and quote what a shell would take apart", () => {
    expect(applyCommands({ fetch: "gh run download 1", file: "agent-patch-s1.patch" })).toBe(
      "```sh\ngh run download 1\ngit apply --index --whitespace=nowarn agent-patch-s1.patch\n```",
    );
    expect(applyCommands({ fetch: null, file: "/a b/it's.patch" })).toContain(
      "nowarn '/a b/it'\\''s.patch'\n",
    );
  });
});

describe("a patch in the log", () => {
  it.each([
    ["text", Buffer.from("diff --git a/\u00e4 b/\u00e4\n+\u{1f600}\r\n")],
    ["other bytes", Buffer.from([0x64, 0xff, 0x00, 0x0a])],
    ["nothing", Buffer.alloc(0)],
  ])("comes back as it was: %s", (_, patch) => {
    expect(Buffer.from(readKeptPatch(keptPatch(patch)))).toEqual(patch);
  });

  it("is readable where it is text", () => {
    expect(keptPatch(Buffer.from("diff\n"))).toBe("diff\n");
  });
});

it("docs/gate.md says how long patches may be, and how they are applied", () => {
  const page = readFileSync("docs/gate.md", "utf8");
  for (const limit of Object.values(patchLimits)) expect(page).toContain(limit.toLocaleString("en-US"));
  const name = "agent-patch-s0123456789ab-0a1b2c3d";
  const fetch = `gh run download 1234567890 --repo octo/demo --name ${name}`;
  expect(page).toContain(applyCommands({ fetch, file: `${name}.patch` }));
});
