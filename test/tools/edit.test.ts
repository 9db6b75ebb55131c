import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceText } from "../../src/tools/replacement.ts";
import { givenWorkspace } from "./given-workspace.ts";

const cases: readonly (readonly [
  rule: string,
  before: string,
  change: { old: string; new: string; all?: boolean },
  after: string | null,
  output: RegExp,
])[] = [
  [
    "replaces the one occurrence",
    "a\nb\nc\n",
    { old: "b", new: "x" },
    "a\nx\nc\n",
    /1 replacement at line 2\.$/,
  ],
  ["deletes", "a\nb\nc\n", { old: "b\n", new: "" }, "a\nc\n", /1 replacement/],
  [
    "refuses two occurrences and names their lines",
    "a\nb\na\n",
    { old: "a", new: "x" },
    null,
    /occurs 2 times in f, at lines 1, 3/,
  ],
  [
    "replaces all when asked",
    "a\nb\na\n",
    { old: "a", new: "aa", all: true },
    "aa\nb\naa\n",
    /2 replacements at lines 1, 3/,
  ],
  ["refuses text that overlaps itself", "aaa\n", { old: "aa", new: "x" }, null, /occurs 2 times/],
  [
    "keeps CRLF where plain line feeds are given",
    "a\r\nb\r\n",
    { old: "a\nb", new: "x\ny\nz" },
    "x\r\ny\r\nz\r\n",
    /1 replacement/,
  ],
  [
    "writes CRLF into a CRLF file also where old has no line end",
    "a\r\nb\r\n",
    { old: "a", new: "x\ny" },
    "x\r\ny\r\nb\r\n",
    /1 replacement/,
  ],
  [
    "leaves mixed line ends alone",
    "a\r\nb\nc\n",
    { old: "b\nc", new: "x\ny" },
    "a\r\nx\ny\n",
    /1 replacement/,
  ],
  [
    "finds CRLF text in a file of mixed line ends",
    "a\r\nb\r\nc\n",
    { old: "a\nb", new: "x\ny" },
    "x\r\ny\r\nc\n",
    /1 replacement/,
  ],
  ["keeps a byte order mark", "\uFEFFa\n", { old: "a", new: "b" }, "\uFEFFb\n", /1 replacement/],
  [
    "does not take $& for anything special",
    "a\n",
    { old: "a", new: "$& $1 $$" },
    "$& $1 $$\n",
    /1 replacement/,
  ],
  ["refuses to change nothing", "a\n", { old: "a", new: "a" }, null, /the same text/],
  [
    "refuses to change nothing but line ends",
    "a\r\nb\r\n",
    { old: "a\nb", new: "a\r\nb" },
    null,
    /the same text/,
  ],
  [
    "shows text that differs in blanks",
    "if (a) {\n\treturn b;\n}\n",
    { old: "if (a) {\n    return b;\n}", new: "x" },
    null,
    /other blanks or line breaks stands at lines 1-3:\n {4}1\tif/,
  ],
  [
    "shows the nearest text",
    "one\nconst limit = 3;\ntwo\n",
    { old: "const limits = 3;", new: "x" },
    null,
    /nearest text stands at line 2:\n {4}2\tconst limit = 3;$/,
  ],
  [
    "shows the nearest run of lines",
    "x\nalpha beta\ngamma delta\ny\n",
    { old: "alpha beta\ngamma delte", new: "x" },
    null,
    /nearest text stands at lines 2-3/,
  ],
  [
    "says when nothing is like it",
    "one\n",
    { old: "completely other words", new: "x" },
    null,
    /Nothing in the file is like it/,
  ],
  [
    "tells line numbers from text",
    "one\ntwo\n",
    { old: "    1\tone\n    2\ttwo", new: "x" },
    null,
    /as read shows them: leave those out/,
  ],
  ["says that the file is empty", "", { old: "a", new: "b" }, null, /f is empty/],
  ["refuses an empty old", "a\n", { old: "", new: "b" }, null, /"old"/],
];

describe("edit", () => {
  it.each(cases)("%s", async (_rule, before, change, after, output) => {
    using bench = givenWorkspace({ f: before });
    const result = await bench.use("edit", { path: "f", ...change });
    expect(result.output).toMatch(output);
    expect(result.status).toBe(after === null ? "error" : "ok");
    expect(readFileSync(path.join(bench.root, "f"), "utf8")).toBe(after ?? before);
    expect(readdirSync(bench.root)).toEqual(["f"]);
  });

  it("keeps the permissions", async () => {
    using bench = givenWorkspace({ f: "a\n" });
    chmodSync(path.join(bench.root, "f"), 0o755);
    await bench.use("edit", { path: "f", old: "a", new: "b" });
    expect(statSync(path.join(bench.root, "f")).mode & 0o7777).toBe(0o755);
  });

  it("names the nearest file when there is none", async () => {
    using bench = givenWorkspace({ "src/app.ts": "" });
    const result = await bench.use("edit", { path: "src/apps.ts", old: "a", new: "b" });
    expect(result.output).toBe("src/apps.ts does not exist; write creates files. Nearest names: src/app.ts.");
  });

  it("leaves every other byte of any file as it was", () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(bytes, bytes, fc.string({ unit: "grapheme" }), (before, after, text) => {
        const file = Buffer.concat([before, Buffer.from("<needle>"), after]);
        const result = replaceText(file, { old: "<needle>", new: text, all: false });
        const crlf = file.includes("\r\n") && !/(^|[^\r])\n/.test(file.toString("latin1"));
        const written = crlf ? text.replace(/\r?\n/g, "\r\n") : text;
        fc.pre(text !== "<needle>");
        expect(result).toMatchObject({ kind: "replaced" });
        if (result.kind === "replaced") {
          expect(result.bytes.equals(Buffer.concat([before, Buffer.from(written), after]))).toBe(true);
        }
      }),
    );
  });
});

describe("write", () => {
  it("creates directories and says what it did", async () => {
    using bench = givenWorkspace();
    const result = await bench.use("write", { path: "a/b/c.txt", content: "x\ny" });
    expect(result).toMatchObject({ status: "ok", output: "Created a/b/c.txt: 2 lines, 3 bytes." });
    expect(readFileSync(path.join(bench.root, "a/b/c.txt"), "utf8")).toBe("x\ny");
  });

  it("replaces all and keeps the permissions", async () => {
    using bench = givenWorkspace({ f: "1\n2\n3\n" });
    chmodSync(path.join(bench.root, "f"), 0o700);
    const result = await bench.use("write", { path: "f", content: "x\n" });
    expect(result.output).toBe("Replaced f: 1 line, 2 bytes; it had 3 lines.");
    expect(statSync(path.join(bench.root, "f")).mode & 0o7777).toBe(0o700);
  });

  const others: readonly (readonly [rule: string, input: object, status: string, output: RegExp])[] = [
    ["says when nothing changes", { path: "f", content: "a\n" }, "ok", /already had exactly this content/],
    ["writes an empty file", { path: "g", content: "" }, "ok", /Created g: 0 lines, 0 bytes/],
    ["refuses a directory", { path: "d", content: "" }, "error", /d is a directory/],
    ["refuses a name that ends as a directory", { path: "e/", content: "" }, "error", /names a directory/],
    ["refuses the workspace itself", { path: ".", content: "" }, "error", /is a directory/],
  ];
  it.each(others)("%s", async (_rule, input, status, output) => {
    using bench = givenWorkspace({ f: "a\n", "d/x": "" });
    expect(await bench.use("write", input)).toMatchObject({ status, output: expect.stringMatching(output) });
  });
});
