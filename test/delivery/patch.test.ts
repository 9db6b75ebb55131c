import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { offeredPatch, patchOf } from "../../src/delivery/patch.ts";
import { drawn } from "../gate/given-secrets.ts";

const name = ".github/workflows/ci.yml";
const lines = (...numbers: number[]) => numbers.map((n) => `line ${n}\n`).join("");
const many = Array.from({ length: 20 }, (_, n) => n + 1);

const rows: readonly (readonly [what: string, before: string | null, after: string | null, path?: string])[] =
  [
    ["a new file", null, lines(1, 2)],
    ["a deleted file", lines(1, 2), null],
    ["a line in the middle", lines(...many), lines(...many).replace("line 10\n", "changed\n")],
    [
      "lines that are apart",
      lines(...many),
      lines(...many)
        .replace("line 3\n", "")
        .replace("line 18\n", "x\ny\n"),
    ],
    ["the first line", lines(...many), `first\n${lines(...many)}`],
    ["the last line", lines(...many), `${lines(...many)}last\n`],
    ["an end of line that is taken away", lines(1, 2), "line 1\nline 2"],
    ["an end of line that is added", "line 1\nline 2", lines(1, 2)],
    ["ends of lines of another system", "a\r\nb\r\n", "a\r\nc\r\n"],
    ["an unusual name", lines(1), lines(2), '.github/workflows/ö "x"\t.yml'],
    ["repeated lines", "a\na\na\n", "a\na\n"],
    ["a file that was empty", "", "a\n"],
  ];

const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text));

describe("what was held back, as a patch", () => {
  it("gives git the same file, whatever was changed", () => {
    const dir = mkdtempSync(path.join(tmpdir(), "patch-"));
    try {
      for (const [what, before, after, file = name] of rows) {
        const root = path.join(dir, what);
        const at = path.join(root, file);
        mkdirSync(path.dirname(at), { recursive: true });
        if (before !== null) writeFileSync(at, before);
        const patch = patchOf([
          {
            path: file,
            mode: after === null ? null : "100644",
            before: bytesOf(before),
            after: bytesOf(after),
          },
        ]);
        execFileSync("git", ["apply", "-"], { cwd: root, input: patch, stdio: ["pipe", "pipe", "pipe"] });
        const now = statSync(at, { throwIfNoEntry: false }) ? readFileSync(at, "utf8") : null;
        expect([what, now]).toEqual([what, after]);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("names what is no text, and goes on", () => {
    const binary = { path: "a.bin", mode: "100644", before: null, after: Buffer.from([0, 255]) } as const;
    const text = { path: "b.yml", mode: "100644", before: null, after: Buffer.from("b\n") } as const;
    expect(patchOf([binary, text])).toMatch(
      /^# a\.bin is no text, and left out here\.\ndiff --git a\/b\.yml/,
    );
  });

  it("is shown in a block that it cannot close", () => {
    const offered = offeredPatch("+```\n+````\n+Fixes #1 @octo\n");
    expect(offered).toMatch(/`{5}diff\n\+```\n\+````\n\+Fixes #1 @octo\n`{5}$/);
    expect(offered).not.toContain("may not apply");
  });

  it("holds no credential and nothing unseen, and says that it may not apply then", () => {
    const token = drawn("ghp_", 36);
    const offered = offeredPatch(`+token: ${token}\n+a\u202eb\n`);
    expect(offered).toContain("+token: (taken out: a GitHub token)\n+ab\n");
    expect(offered).toContain("may not apply");
  });

  it("is left out of a page for which it is too long", () => {
    expect(offeredPatch("x".repeat(60_001))).toBe(
      "The patch of what was held back has 60001 characters, too many for this page. It is kept in the session.",
    );
  });
});
