import { describe, expect, it } from "vitest";
import { parseFileCommand } from "../kit/runner/file-command.ts";
import { splitLines } from "../kit/runner/line-splitter.ts";
import { createMasker } from "../kit/runner/masker.ts";
import { createStepLog, type StepLog } from "../kit/runner/step-log.ts";
import { parseWorkflowCommand } from "../kit/runner/workflow-command.ts";

const known = (name: string) => ["set-output", "error"].includes(name);

function logOf(lines: readonly string[], secrets: readonly string[] = []): StepLog {
  const log = createStepLog({ masker: createMasker(secrets), debug: false });
  for (const line of lines) log.line(line);
  return log;
}

describe("workflow commands", () => {
  it("in the first grammar stand at the start of a line, after white space at most", () => {
    expect(parseWorkflowCommand("  ::set-output name=a::b", known)).toEqual({
      grammar: "::",
      command: "set-output",
      properties: { name: "a" },
      data: "b",
    });
    expect(parseWorkflowCommand("x ::set-output name=a::b", known)).toBeUndefined();
    expect(parseWorkflowCommand("::set-output name=a", known)).toBeUndefined();
    expect(parseWorkflowCommand("::nothing::b", known)).toBeUndefined();
  });

  it("in the second grammar stand anywhere in a line", () => {
    expect(parseWorkflowCommand("noise ##[set-output name=a;x=%3B%5D]b%0Ac", known)).toEqual({
      grammar: "##[",
      command: "set-output",
      properties: { name: "a", x: ";]" },
      data: "b\nc",
    });
    // Only the first "##[" of a line is looked at.
    expect(parseWorkflowCommand("##[nothing]##[set-output name=a]b", known)).toBeUndefined();
    expect(parseWorkflowCommand("##[set-output name=a", known)).toBeUndefined();
  });

  it("undo their escapes once", () => {
    const parsed = parseWorkflowCommand("::error file=a%2Cb%3Ac%25,line=1::x%0Ay%250Az,::", known);
    expect(parsed).toMatchObject({ properties: { file: "a,b:c%", line: "1" }, data: "x\ny%0Az,::" });
  });

  it("become annotations and marked lines", () => {
    const log = logOf([
      "::warning file=a.js,line=3,title=T::careful",
      "::error::no",
      "::notice::so",
      "::debug::x",
    ]);
    expect(log.annotations).toEqual([
      { level: "warning", message: "careful", properties: { file: "a.js", line: "3", title: "T" } },
      { level: "error", message: "no", properties: {} },
      { level: "notice", message: "so", properties: {} },
    ]);
    expect(log.shown).toEqual(["##[warning]careful", "##[error]no", "##[notice]so"]);
  });

  it("hide a secret that was set by add-mask in later lines", () => {
    const log = logOf(["before s3cret", "::add-mask::s3cret", "after s3cret s3cret", "::error::s3cret"]);
    expect(log.shown).toEqual(["before s3cret", "after *** ***", "##[error]***"]);
    expect(log.annotations[0]?.message).toBe("***");
    expect(log.raw.at(2)).toBe("after s3cret s3cret");
  });

  it("are plain text between stop-commands and its token, in both grammars", () => {
    const log = logOf(["::stop-commands::tok", "::error::a", "##[error]b", "##[TOK]", "::error::c"]);
    expect(log.annotations.map((a) => a.message)).toEqual(["c"]);
    expect(log.commands.map((c) => c.command)).toEqual(["stop-commands", "error"]);
  });

  it("cannot be stopped with a token that is a command itself", () => {
    const log = logOf(["::stop-commands::error", "::notice::still read"]);
    expect(log.annotations.at(-1)).toMatchObject({ level: "notice", message: "still read" });
    expect(log.failed()).toBe(true);
  });

  it("that change the environment are refused and fail the step", () => {
    const log = logOf(["::set-env name=A::b"]);
    expect(log.annotations[1]?.message).toContain("`set-env` command is disabled");
    expect(log.failed()).toBe(true);
  });
});

describe("masking", () => {
  it("also hides each line of a secret, and its Base64 and JSON forms", () => {
    const { mask } = createMasker(['first line\n"second" line']);
    expect(mask("a first line b")).toBe("a *** b");
    expect(mask(JSON.stringify('"second" line'))).toBe('"***"');
    expect(mask(Buffer.from("first line").toString("base64"))).toBe("***");
  });

  it("makes one of overlapping secrets", () => {
    expect(createMasker(["abcd", "cdef"]).mask("xabcdefx")).toBe("x***x");
  });
});

describe("file commands", () => {
  it("take lines and blocks, whichever sign comes first", () => {
    expect(parseFileCommand("a=1<<2\nb<<END\nx=1\n\ny\nEND\n\nc=\n")).toEqual([
      ["a", "1<<2"],
      ["b", "x=1\n\ny"],
      ["c", ""],
    ]);
  });

  it.each([
    ["a", "Invalid format 'a'"],
    ["=1", "Name must not be empty"],
    ["a<<", "delimiter must not be empty"],
    ["a<<END\nb", "Matching delimiter not found 'END'"],
  ])("refuse %j", (text, message) => {
    expect(() => parseFileCommand(text)).toThrow(message);
  });
});

describe("lines", () => {
  it("end at LF, CR LF and a lone CR, wherever the bytes are cut", () => {
    const bytes = Buffer.from("a\r\nb\rc\n\nä");
    for (let cut = 0; cut <= bytes.length; cut++) {
      const lines: string[] = [];
      const splitter = splitLines((line) => lines.push(line));
      splitter.feed(bytes.subarray(0, cut));
      splitter.feed(bytes.subarray(cut));
      splitter.end();
      expect(lines).toEqual(["a", "b", "c", "", "ä"]);
    }
  });
});
