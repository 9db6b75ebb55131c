import { describe, expect, it } from "vitest";
import { type Caps, capsText, overCaps } from "../../src/gate/caps.ts";
import { changedFile } from "./given-change.ts";

const caps: Caps = { files: 3, bytes: 100, fileBytes: 50 };

/** What is over in files that had and have so many bytes; null where there is none. */
async function over(files: Readonly<Record<string, readonly [number | null, number | null]>>) {
  const side = (bytes: number | null | undefined) => (bytes == null ? null : "x".repeat(bytes));
  const changes = Object.entries(files).map(
    ([path, [before, after]]) => changedFile(path, [side(before), side(after)]).change,
  );
  const read = (at: 0 | 1) => async (path: string) => {
    const text = side(files[path]?.[at]);
    return text === null ? null : Buffer.from(text);
  };
  return overCaps(changes, { caps, contents: { before: read(0), after: read(1) } });
}

describe("the size of a change", () => {
  it.each<[string, Parameters<typeof over>[0]]>([
    ["as many files as there may be", { a: [1, 2], b: [null, 1], c: [1, null] }],
    ["as many bytes as there may be", { a: [null, 50], b: [null, 50] }],
    ["a large file that was there before", { a: [5000, 5050] }],
    ["a large file that is taken away", { a: [5000, null] }],
    ["bytes that were taken away elsewhere", { a: [5000, 10], b: [null, 50], c: [null, 50] }],
  ])("is within its caps with %s", async (_, files) => {
    expect(await over(files)).toEqual([]);
  });

  it.each<[string, Parameters<typeof over>[0], string, readonly string[]]>([
    [
      "too many files",
      { "dist/a": [1, 2], "dist/b": [null, 1], c: [1, null], d: [1, 2] },
      "4 files are changed, and 3 may be; 2 of them are in dist/",
      ["dist/a", "dist/b", "c", "d"],
    ],
    ["a new file that is too large", { a: [null, 51] }, "a has 51 bytes, and a new file may have 50", ["a"]],
    [
      "too many bytes",
      { a: [10, 91], b: [null, 20] },
      "the change adds 101 bytes, and 100 may be added; the most are in a (81), b (20)",
      ["a", "b"],
    ],
  ])("is over them with %s, which is said", async (_, files, why, paths) => {
    expect(await over(files)).toEqual([{ why, paths }]);
    expect(capsText(await over(files))).toContain(`- ${why}`);
  });
});
