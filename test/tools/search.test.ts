import { describe, expect, it } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { givenWorkspace } from "./given-workspace.ts";

const tree = {
  ".git/HEAD": "needle\n",
  ".gitignore": "*.log\nbuild/\n!keep.log\n",
  ".github/ci.yml": "needle: 1\n",
  "a.log": "needle\n",
  "keep.log": "needle\n",
  "build/out.js": "needle\n",
  "src/app.ts": "one\ntwo needle\nthree\nfour\nNeedle\n",
  "src/deep/.gitignore": "!a.log\n/x.ts\n",
  "src/deep/a.log": "needle\n",
  "src/deep/x.ts": "needle\n",
  "src/image.png": Uint8Array.of(0x89, 0x50, 0, 0x6e),
};

const listed = (output: string): string[] => output.split("\n").filter((line) => /^[\w./]+$/.test(line));

describe("search", () => {
  const cases: readonly (readonly [rule: string, input: object, output: string])[] = [
    [
      "groups matches by file, in order, and honours nested .gitignore files",
      { pattern: "needle" },
      [
        "4 matching lines in 4 files",
        ".github/ci.yml",
        "1:needle: 1",
        "keep.log",
        "1:needle",
        "src/app.ts",
        "2:two needle",
        "src/deep/a.log",
        "1:needle",
        "[not searched: 1 binary file]",
      ].join("\n"),
    ],
    [
      "ignores case when asked",
      { pattern: "needle", path: "src/app.ts", ignoreCase: true },
      "2 matching lines in 1 file\nsrc/app.ts\n2:two needle\n5:Needle",
    ],
    [
      "shows context",
      { pattern: "needle", path: "src/app.ts", context: 1 },
      "1 matching line in 1 file\nsrc/app.ts\n1-one\n2:two needle\n3-three",
    ],
    [
      "separates runs of context",
      { pattern: "one|Needle", path: "src/app.ts", context: 1 },
      "2 matching lines in 1 file\nsrc/app.ts\n1:one\n2-two needle\n--\n4-four\n5:Needle",
    ],
    [
      "filters by a glob on the name",
      { pattern: "needle", glob: "*.ts" },
      "1 matching line in 1 file\nsrc/app.ts\n2:two needle",
    ],
    [
      "filters by a glob on the path",
      { pattern: "needle", glob: "src/**/*.log" },
      "1 matching line in 1 file\nsrc/deep/a.log\n1:needle",
    ],
    [
      "takes a glob from the path it searches",
      { pattern: "needle", path: "src", glob: "deep/*" },
      "1 matching line in 1 file\nsrc/deep/a.log\n1:needle",
    ],
    ["says that nothing matches", { pattern: "absent", glob: "*.ts" }, "No line matches /absent/ in 1 file."],
    [
      "shows as many as it may and counts all",
      { pattern: "needle", limit: 1, glob: "*.log" },
      "2 matching lines in 2 files; the first 1 are shown: narrow path, glob or pattern, or raise limit\nkeep.log\n1:needle",
    ],
    [
      "searches what is hidden when it is named",
      { pattern: "needle", path: "build" },
      "1 matching line in 1 file\nbuild/out.js\n1:needle\n[build is hidden by .gitignore; it was named, so all below it was looked at]",
    ],
    [
      "takes an expression that is only valid without the u flag",
      { pattern: "t\\wo\\-?\\ needle" },
      "1 matching line in 1 file\nsrc/app.ts\n2:two needle\n[not searched: 1 binary file]",
    ],
    [
      "lets ^ and $ mean the line",
      { pattern: "^needle$", glob: "*.log", limit: 5 },
      "2 matching lines in 2 files\nkeep.log\n1:needle\nsrc/deep/a.log\n1:needle",
    ],
  ];
  it.each(cases)("%s", async (_rule, input, output) => {
    using bench = givenWorkspace(tree);
    expect(await bench.use("search", input)).toMatchObject({ status: "ok", output });
  });

  it("matches lines that end in CRLF as if they ended in LF", async () => {
    using bench = givenWorkspace({ f: "a\r\nb\r\n" });
    expect((await bench.use("search", { pattern: "^a$" })).output).toBe("1 matching line in 1 file\nf\n1:a");
  });

  it("shows a window of a long line around the match", async () => {
    using bench = givenWorkspace({ f: `${"x".repeat(1_000)}needle${"y".repeat(1_000)}\n` });
    const { output } = await bench.use("search", { pattern: "needle" });
    expect(output).toMatch(/1:\[940 characters before\] x{60}needley+ \[766 more characters\]$/);
  });

  it("stays within the bound and says how many are shown", async () => {
    using bench = givenWorkspace({ f: `${"needle ".repeat(30)}\n`.repeat(1_000) });
    const { output } = await bench.use("search", { pattern: "needle", limit: 1_000 });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limits.modelOutputBytesMax);
    const shown = output.split("\n").filter((line) => /^\d+:/.test(line)).length;
    expect(output.split("\n")[0]).toMatch(`1,000 matching lines in 1 file; the first ${shown} are shown`);
  });

  it("counts files that are too large", async () => {
    using bench = givenWorkspace({ f: "x".repeat(4 * 1024 * 1024 + 1) });
    const { output } = await bench.use("search", { pattern: "needle" });
    expect(output).toBe("No line matches /needle/ in 0 files.\n[not searched: 1 file over 4 MiB]");
  });

  it("stops an expression that never ends and names it", async () => {
    using bench = givenWorkspace({ f: `${"a".repeat(60)}!\n` });
    const result = await bench.use("search", { pattern: "(a+)+$" });
    expect(result).toMatchObject({
      status: "error",
      output: expect.stringMatching(/^\/\(a\+\)\+\$\/ was stopped: f took longer than 2 s/),
    });
  });

  it("can be cancelled while an expression runs", async () => {
    using bench = givenWorkspace({ f: `${"a".repeat(60)}!\n` });
    const signal = AbortSignal.timeout(100);
    expect(await bench.use("search", { pattern: "(a+)+$" }, { signal })).toMatchObject({ status: "killed" });
  });

  it("says what is wrong with an expression", async () => {
    using bench = givenWorkspace();
    const result = await bench.use("search", { pattern: "foo(" });
    expect(result).toMatchObject({
      status: "error",
      output: expect.stringMatching(/foo\(.*Unterminated group/),
    });
  });
});

describe("glob and search", () => {
  it.each(["glob", "search"])("%s does not look into .git, also when it is named", async (tool) => {
    using bench = givenWorkspace(tree);
    for (const path of [".git", ".git/HEAD"]) {
      const result = await bench.use(tool, { pattern: "needle", path });
      expect(result).toMatchObject({ status: "error", output: expect.stringMatching(/belongs to .git/) });
    }
  });
});

describe("glob", () => {
  const cases: readonly (readonly [rule: string, input: object, names: readonly string[]])[] = [
    ["a pattern without a slash holds in every directory", { pattern: "*.ts" }, ["src/app.ts"]],
    ["two stars cross directories", { pattern: "**/*.log" }, ["keep.log", "src/deep/a.log"]],
    ["a pattern is taken from the path", { pattern: "deep/*", path: "src" }, ["src/deep/a.log"]],
    ["and from the workspace", { pattern: "src/*.ts", path: "src" }, ["src/app.ts"]],
    ["a dot is matched by a dot", { pattern: ".github/**" }, [".github/ci.yml"]],
    ["alternatives", { pattern: "*.{ts,png}" }, ["src/app.ts", "src/image.png"]],
    ["a leading ./ means nothing", { pattern: "./src/*.ts" }, ["src/app.ts"]],
  ];
  it.each(cases)("%s", async (_rule, input, names) => {
    using bench = givenWorkspace(tree);
    expect(listed((await bench.use("glob", input)).output)).toEqual(names);
  });

  it("never shows .git", async () => {
    using bench = givenWorkspace(tree);
    expect((await bench.use("glob", { pattern: ".git/**" })).output).toBe("No file matches .git/** in ..");
  });

  it("counts what it does not show", async () => {
    const names = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}`, ""]));
    using bench = givenWorkspace(names);
    const { output } = await bench.use("glob", { pattern: "f*" });
    expect(output).toMatch(/\[200 more names of 1,200; narrow the pattern\]$/);
  });

  it("survives a pattern that explodes", async () => {
    using bench = givenWorkspace({ f: "" });
    const result = await bench.use("glob", { pattern: "{a,b}".repeat(60) });
    expect(result).toMatchObject({ status: "error", output: expect.stringMatching(/Write a simpler one/) });
  });
});
