import { describe, expect, it } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { givenWorkspace } from "./given-workspace.ts";

const long = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}`).join("\n");

const cases: readonly (readonly [
  rule: string,
  content: string | Uint8Array,
  input: { from?: number; lines?: number; column?: number },
  output: string | RegExp,
])[] = [
  ["numbers the lines", "a\nb\n", {}, "    1\ta\n    2\tb"],
  [
    "shows a range and says how to go on",
    "a\nb\nc\nd\n",
    { from: 2, lines: 2 },
    "    2\tb\n    3\tc\n[lines 2-3 of 4; go on with from: 4]",
  ],
  ["says that a file is empty", "", {}, "f is empty (0 bytes)."],
  ["says that the last line has no end", "a", {}, "    1\ta\n[no line end after the last line]"],
  ["says that lines end in CRLF", "a\r\nb\r\n", {}, "    1\ta\n    2\tb\n[its lines end in CRLF]"],
  ["counts mixed line ends", "a\r\nb\nc\n", {}, /\[1 of its 3 lines end in CRLF, the others in LF\]$/],
  ["says that there is a byte order mark", "\uFEFFa\n", {}, "    1\ta\n[it begins with a byte order mark]"],
  [
    "says that bytes are not UTF-8",
    Uint8Array.of(0x61, 0xff, 0x0a),
    {},
    /^ {4}1\ta\uFFFD\n\[some bytes are not UTF-8/,
  ],
  [
    "describes a binary file",
    Uint8Array.of(0x1f, 0x8b, 0, 0),
    {},
    "f is a binary file (gzip data) of 4 bytes; it is not shown.",
  ],
  ["describes UTF-16", Uint8Array.of(0xff, 0xfe, 0x61, 0), {}, /UTF-16 text, little-endian/],
  ["keeps a blank line", "\n\n", {}, "    1\t\n    2\t"],
  [
    "cuts a long line and says by how much",
    `${"x".repeat(5_000)}\nb\n`,
    {},
    /x \[3,000 more characters in this line\]\n {4}2\tb$/,
  ],
  [
    "shows more of a long line when asked for it alone",
    `${"x".repeat(5_000)}\nb\n`,
    { lines: 1 },
    /^ {4}1\tx{5000}\n\[lines 1-1 of 2/,
  ],
  ["shows a line from a character on", "abc\ndef\n", { column: 2 }, "    1\tbc\n    2\tdef"],
  [
    "shows a line that is too long for a page as far as it goes, and says how to go on",
    `${"x".repeat(40_000)}\nb\n`,
    { column: 2_001 },
    /^ {4}1\tx{29689}\n\[line 1 has 40,000 characters; go on with from: 1, column: 31690\]$/,
  ],
  [
    "does not split a character at the end of a page",
    `${"\u20ac".repeat(9_896)}\u{1F600}${"\u20ac".repeat(9)}`,
    { lines: 1 },
    /^ {4}1\t\u20ac{9896}\n\[line 1 has 9,907 characters; go on with from: 1, column: 9897\]\n\[no line end/,
  ],
  [
    "does not split a character",
    `${"x".repeat(1_999)}\u{1F600}${"y".repeat(10)}\nb\n`,
    {},
    /x \[12 more characters/,
  ],
];

describe("read", () => {
  it.each(cases)("%s", async (_rule, content, input, output) => {
    using bench = givenWorkspace({ f: content });
    const result = await bench.use("read", { path: "f", ...input });
    expect(result.status).toBe("ok");
    if (typeof output === "string") expect(result.output).toBe(output);
    else expect(result.output).toMatch(output);
  });

  it("shows all of a long file, page by page, each within the bound", async () => {
    using bench = givenWorkspace({ f: `${long}\n` });
    const lines: string[] = [];
    for (let from = 1; from > 0; ) {
      const { output } = await bench.use("read", { path: "f", from, lines: 100_000 });
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limits.modelOutputBytesMax);
      lines.push(
        ...output
          .split("\n")
          .filter((line) => /^ *\d+\t/.test(line))
          .map((line) => line.replace(/^ *\d+\t/, "")),
      );
      from = Number(/go on with from: (\d+)\]$/.exec(output)?.[1] ?? 0);
    }
    expect(lines.join("\n")).toBe(long);
  });

  it("reads the whole output of an earlier call in the same way", async () => {
    using bench = givenWorkspace();
    const result = await bench.use("read", { path: "output:c1", from: 9_999 }, { attachment: long });
    expect(result.output).toBe(" 9999\tline 9999\n10000\tline 10000\n[no line end after the last line]");
  });

  const refusals: readonly (readonly [rule: string, input: object, output: RegExp])[] = [
    ["an output that was not kept", { path: "output:c2" }, /There is no output:c2/],
    [
      "a character after the end of its line",
      { path: "src/app.ts", column: 2 },
      /^Line 1 of src\/app\.ts has 1 character; there is no character 2\./,
    ],
    ["a line after the end", { path: "src/app.ts", from: 5 }, /has 1 line; there is no line 5/],
    [
      "a missing file, naming the nearest",
      { path: "src/ap.ts" },
      /does not exist\. Nearest names: src\/app\.ts/,
    ],
    [
      "a file in the wrong directory, naming the nearest",
      { path: "lib/app.ts" },
      /Nearest names: src\/app\.ts/,
    ],
    [
      "an unknown key, naming the known ones",
      { path: "f", line: 1 },
      /unknown key "line"\. The keys are: path, from, column, lines\./,
    ],
    ["a wrong type", { path: 1 }, /"path" must be string, but got 1/],
    ["a missing path", {}, /"path" is missing/],
  ];
  it.each(refusals)("refuses %s", async (_rule, input, output) => {
    using bench = givenWorkspace({ "src/app.ts": "a\n" });
    expect(await bench.use("read", input)).toMatchObject({
      status: "error",
      output: expect.stringMatching(output),
    });
  });

  it("lists a directory", async () => {
    using bench = givenWorkspace({ "b/c": "", a: "" });
    expect((await bench.use("read", { path: "." })).output).toBe(
      "The workspace is a directory with 2 entries:\na\nb/",
    );
  });
});
