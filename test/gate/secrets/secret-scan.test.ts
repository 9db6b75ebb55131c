import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { maskOf } from "../../../src/base/masking.ts";
import { type Leak, secretsInChange, secretsText } from "../../../src/gate/secrets/secret-scan.ts";
import { changedFile } from "../given-change.ts";
import { disguises } from "./disguised.ts";
import { drawn } from "./given-secrets.ts";

/** Of other characters than the made-up credentials of others, with which it would share parts. */
const own = drawn("own-", 40, "hK4sP9vXe2Bn7QwLd6TgRy3MzU8jCa5FoW1i");
const token = drawn("ghp_", 36);

type Text = string | Uint8Array | null;

/** What is found in files that were and are so; null where there is none. */
function leaksOf(files: Readonly<Record<string, readonly [Text, Text]>>): Promise<readonly Leak[]> {
  const bytes = (text: Text | undefined) =>
    typeof text === "string" ? new TextEncoder().encode(text) : (text ?? null);
  const changes = Object.entries(files).map(([path, [before, after]]) => {
    const side = (text: Text, as: string) => (text === null ? null : as);
    return changedFile(path, [side(before, "before"), side(after, "after")]).change;
  });
  const contents = {
    before: async (path: string) => bytes(files[path]?.[0]),
    after: async (path: string) => bytes(files[path]?.[1]),
  };
  return secretsInChange(changes, { contents, mask: maskOf([own]) });
}

const added = (after: Text) => leaksOf({ "src/a.ts": [null, after] });
const found = (kind: string, line: number | null) => [{ path: "src/a.ts", line, kind }];

describe("a change that is looked through for credentials", () => {
  it("tells path, line and kind of what it brings", async () => {
    expect(await added(`one\ntwo\nconst it = "${token}";\n`)).toEqual(found("a GitHub token", 3));
  });

  it("may keep and move what stood in the changed files before", async () => {
    const text = `const it = "${token}";\n`;
    expect(await leaksOf({ "src/a.ts": [text, `// more\n${text}`] })).toEqual([]);
    expect(await leaksOf({ "old.ts": [text, null], "new.ts": [null, text] })).toEqual([]);
    expect(await leaksOf({ "src/a.ts": [`const it = "${own}";`, `const it = "${own}";\nmore`] })).toEqual([]);
  });

  it("may take one out", async () => {
    expect(await leaksOf({ "src/a.ts": [`${token} ${own}`, "gone"], "b.ts": [token, null] })).toEqual([]);
  });

  it("tells a second one beside one that stood there before", async () => {
    const other = drawn("ghp_", 36, "Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2");
    expect(await leaksOf({ "src/a.ts": [token, `${token}\n${other}`] })).toEqual(found("a GitHub token", 2));
  });

  it("never says the credential, nor a name that holds one", async () => {
    const leaks = await leaksOf({
      [`${token}.png`]: [null, new Uint8Array([0, 1, 2])],
      [`${own}.txt`]: [null, "x"],
      "src/a.ts": [null, `${own}\n${token}`],
    });
    expect(
      leaks
        .filter(({ path }) => path === null)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["a GitHub token", "a secret of this run"]);
    const text = secretsText(leaks, (label, quoted) => `${label}:\n${quoted}`);
    expect(text).toContain("- src/a.ts, line 1: a secret of this run");
    expect(text).toContain("- src/a.ts, line 2: a GitHub token");
    for (const secret of [token, own]) expect(text).not.toContain(secret);
  });

  it("is read where it is no text too", async () => {
    const wide = Buffer.from(`key ${token}`, "utf16le");
    expect(await added(wide)).toEqual(found("a GitHub token", 1));
    expect(await added(Buffer.concat([Buffer.from([0, 255, 10]), Buffer.from(own)]))).toEqual(
      found("a secret of this run", 2),
    );
  });

  it.each(disguises(own))("tells the run's own secret %s (T30)", async (_, text) => {
    expect(await added(`first\n${text}\n`)).toEqual(found("a secret of this run", 2));
  });

  it("tells the run's own secret that is spread over lines or joined from parts", async () => {
    expect(await added(Array.from(own).join("\n"))).toEqual(found("a secret of this run", null));
    const parts = own.match(/.{1,12}/g) ?? [];
    expect(await added(parts.map((part) => `"${part}" +`).join("\n"))).toEqual(
      found("a secret of this run", null),
    );
  });

  it("does not see it in what is compressed, which its documentation says", async () => {
    expect(await added(gzipSync(own))).toEqual([]);
  });
});
