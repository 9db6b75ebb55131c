import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { growingIgnoreRules, type IgnoreFile, ignoreRules } from "../../src/base/ignore-rules.ts";
import { newFolder } from "../kit/folder.ts";

let root = "";
const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

beforeAll(() => {
  root = newFolder("ignore-rules");
  execFileSync("git", ["init", "-q", root], { env });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Entry = { readonly path: string; readonly kind: "file" | "dir" };

/** Every directory and file of a small tree whose names the patterns below speak of. */
const names = ["a", "b", "c.log", "A"];
const entries: readonly Entry[] = names.flatMap((one) => [
  { path: one, kind: "dir" as const },
  ...names.flatMap((two) => [
    { path: `${one}/${two}`, kind: two === "c.log" ? ("file" as const) : ("dir" as const) },
    ...(two === "c.log"
      ? []
      : names.map((three) => ({ path: `${one}/${two}/${three}`, kind: "file" as const }))),
  ]),
  { path: `${one}.txt`, kind: "file" as const },
]);

/** What real git says, with the tree on disk: the paths it ignores. */
function askGit(files: readonly IgnoreFile[]): string[] {
  for (const name of [...names, ...names.map((one) => `${one}.txt`), ".gitignore"]) {
    rmSync(path.join(root, name), { recursive: true, force: true });
  }
  for (const entry of entries) {
    const full = path.join(root, entry.path);
    if (entry.kind === "dir") mkdirSync(full, { recursive: true });
    else writeFileSync(full, "");
  }
  for (const { dir, text } of files) writeFileSync(path.join(root, dir, ".gitignore"), text);
  const input = entries.map((entry) => entry.path).join("\0");
  const answer = spawnSync(
    "git",
    ["-c", "core.ignorecase=false", "check-ignore", "--no-index", "-z", "--stdin"],
    { cwd: root, env, input, encoding: "utf8" },
  );
  return answer.stdout.split("\0").filter(Boolean).sort();
}

function askRules(files: readonly IgnoreFile[]): string[] {
  const rules = ignoreRules(files);
  return entries
    .filter((entry) => rules.ignored(entry.path, entry.kind))
    .map((entry) => entry.path)
    .sort();
}

const cases: readonly (readonly [rule: string, files: readonly IgnoreFile[]])[] = [
  ["a name is ignored at every depth", [{ dir: "", text: "b\n" }]],
  ["a leading slash holds a pattern to its own directory", [{ dir: "", text: "/b\n" }]],
  ["a slash in the middle holds it too", [{ dir: "", text: "a/b\n" }]],
  ["a trailing slash speaks of directories only", [{ dir: "", text: "c.log/\n" }]],
  ["the last matching pattern wins", [{ dir: "", text: "*.log\n!c.log\n" }]],
  ["a later pattern ignores again", [{ dir: "", text: "*.log\n!c.log\nc.log\n" }]],
  ["nothing below an ignored directory comes back", [{ dir: "", text: "a/\n!a/b/c.log\n" }]],
  [
    "a deeper file overrides",
    [
      { dir: "", text: "*.log\n" },
      { dir: "a", text: "!*.log\n" },
    ],
  ],
  [
    "a deeper file is no use in an ignored directory",
    [
      { dir: "", text: "a\n" },
      { dir: "a", text: "!*\n" },
    ],
  ],
  [
    "a directory that a deeper file brings back is back whole",
    [
      { dir: "", text: "b/\n" },
      { dir: "a", text: "!b/\n" },
    ],
  ],
  ["everything but one", [{ dir: "", text: "/*\n!/a\n/a/*\n!/a/b\n" }]],
  ["case counts", [{ dir: "", text: "A\n" }]],
  ["comments, blank lines and trailing blanks mean nothing", [{ dir: "", text: "# b\n\n  \nb/  \n" }]],
  ["CRLF lines", [{ dir: "", text: "b/\r\n*.log\r\n" }]],
  ["two stars cross directories", [{ dir: "", text: "a/**/c.log\n**/b/A\n" }]],
  ["what is inside but not the directory itself", [{ dir: "", text: "a/**\n!a/b/\n" }]],
  ["escapes", [{ dir: "", text: "\\a\n\\!b\n" }]],
  ["classes", [{ dir: "", text: "[ab]\n![b]/\n" }]],
  ["a lone slash", [{ dir: "", text: "/\n" }]],
];

describe("agrees with git check-ignore", () => {
  it.each(cases)("%s", (_rule, files) => {
    expect(askRules(files)).toEqual(askGit(files));
  });

  it("for any patterns in any of the directories", () => {
    const part = fc.constantFrom("a", "b", "c.log", "A", "*", "**", "*.log", "?", "[ab]", "c*", "a.txt");
    const pattern = fc
      .tuple(
        fc.constantFrom("", "", "!"),
        fc.constantFrom("", "", "/"),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "", "/", " ", "/ "),
      )
      .map(([not, lead, parts, end]) => `${not}${lead}${parts.join("/")}${end}`);
    const text = fc.array(pattern, { maxLength: 4 }).map((lines) => lines.join("\n"));
    const tree = fc
      .record({ "": text, a: text, "a/b": text, b: text })
      .map((texts) => Object.entries(texts).map(([dir, rules]) => ({ dir, text: rules })));
    fc.assert(
      fc.property(tree, (files) => {
        expect(askRules(files)).toEqual(askGit(files));
      }),
      { numRuns: 60 },
    );
  });
});

it("may be given a directory's file on the way down", () => {
  const rules = growingIgnoreRules();
  rules.add({ dir: "", text: "*.log\n" });
  expect(rules.ignored("a", "dir")).toBe(false);
  rules.add({ dir: "a", text: "!c.log\n" });
  expect(rules.ignored("a/c.log", "file")).toBe(false);
  expect(rules.ignored("a/b.log", "file")).toBe(true);
});
