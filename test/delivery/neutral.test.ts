import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommand } from "../../src/command/command.ts";
import { codeSpan, neutralCell, neutralText, neutralTitle, pathSpan } from "../../src/delivery/neutral.ts";

const options = { max: 10_000, issue: 7, triggerPhrase: "/agent" };
const neutral = (text: string) => neutralText(text, options);

describe("untrusted text in our outputs", () => {
  it.each([
    ["an image", "![x](https://evil.example/p.png)"],
    ["an image by reference", "![x][y]\n\n[y]: https://evil.example/p.png"],
    ["an HTML image", '<img src="https://evil.example/p.png">'],
    ["a link", "[click](https://evil.example)"],
    ["an autolink", "<https://evil.example>"],
    ["a bare address", "https://evil.example and www.evil.example"],
    ["an image in a formula", "$\\href{https://evil.example}{x}$"],
    ["a backtick that an address swallows", "https://x/`<img src=https://evil.example>`"],
    ["an escaped backtick", "\\`<img src=https://evil.example>`"],
    ["a code span over two lines", "`a\n<img src=https://evil.example>`"],
    ["HTML by entity", "&lt;img src=https://evil.example&gt;"],
    ["a fence that does not close", "```\ncode\n"],
    ["details", "<details><summary>x</summary>hidden</details>"],
  ])("nothing is fetched, linked or hidden by %s", (_, text) => {
    const prose = withoutCode(neutral(text));
    expect(prose).not.toMatch(/<(?!\/?$)/);
    expect(prose).not.toMatch(/:\/\//);
    expect(prose).not.toMatch(/\]\(|\[/);
    expect(prose).not.toMatch(/\bwww\./);
  });

  it("takes hidden comments out, nested ones too, and shows one that does not end", () => {
    expect(neutral("a<!-- x -->b<!-<!-- y -->- z -->c")).toBe("abc");
    expect(neutral("a <!-- hidden")).toBe("a &lt;!-- hidden");
  });

  it("mentions nobody, by no spelling", () => {
    for (const text of ["@octo", "hi @octo/team", "&#64;octo", "a@b.example", "**@octo**"])
      expect(withoutCode(neutral(text)).replaceAll("&amp;#64;", "")).not.toMatch(/@[a-z0-9]/i);
  });

  it("closes and links no other issue, and lets the one it is for be named", () => {
    for (const text of [
      "Fixes #8",
      "closes octo/demo#7",
      "resolved: #70",
      "fixes GH-8",
      "fixes https://github.com/octo/demo/issues/8",
      "`fixes #8`",
    ])
      expect(neutral(text)).not.toMatch(/(?<!&)#\d|GH-\d|:\/\//);
    expect(neutral("Fixes #7, see #7.")).toBe("Fixes #7, see #7.");
    expect(neutralText("Fixes #7", { ...options, issue: null })).toBe("Fixes #&#8203;7");
  });

  it("begins no line with the trigger phrase, however it is led in", () => {
    const text = [
      "/agent fix",
      "  /agent fix",
      "> /agent fix",
      "- /agent",
      "1. > /agent fix",
      "```",
      "/agent fix",
      "```",
    ];
    for (const line of neutral(text.join("\n")).split("\n"))
      expect(line.replace(/^[\s>*+\-\d.)]*/, "").startsWith("/agent")).toBe(false);
    expect(parseCommand(neutral("/agent fix"), "/agent")).toBeNull();
  });

  it("leaves headings and rules to us, in lists and quotes too", () => {
    const said = (text: string) => neutral(text);
    expect(said("### Evidence\n\n| check | on base |\n|---|---|")).toBe(
      "**Evidence**\n\n| check | on base |\n|---|---|",
    );
    expect(said("# a #\n> ## b\n- ### c\n1. #### d")).toBe("**a**\n> **b**\n- **c**\n1. **d**");
    expect(said("#\n#tag\n####### seven")).toBe("#tag\n####### seven");
    expect(said("Evidence\n---")).toBe("Evidence\n&#45;--");
    expect(said("Evidence\n=")).toBe("Evidence\n&#61;");
    expect(said("> a\n> ---\n\n- a\n  ---")).toBe("> a\n> &#45;--\n\n- a\n  &#45;--");
    expect(said("a\n\n* * *\n- - -\n___")).toBe("a\n\n&#42; * *\n- - &#45;\n&#95;__");
    expect(said("a - b\n- item\n-- no rule")).toBe("a - b\n- item\n-- no rule");
  });

  it("shows a path exactly, with what has no shape and with both of its ends", () => {
    expect(pathSpan("src/a\u200b.js")).toBe("<code>src/a&#92;u200b.js</code>");
    expect(pathSpan("src/<!-- x -->evil.js")).toContain("evil.js");
    expect(pathSpan("src/<!-- x -->evil.js")).toContain("x --&#62;");
    expect(pathSpan("a\n\u202e.js")).toBe("<code>a&#92;u000a&#92;u202e.js</code>");
    expect(pathSpan(`${"d/".repeat(300)}package.json`)).toMatch(
      /^<code>d\/.*…(?:d\/|\/d)+\/?package\.json<\/code>$/,
    );
  });

  it("keeps what a reader needs: emphasis, lists, boxes, code, tables, emoji", () => {
    const text = [
      "**Bold** and `a < b && c[0]`",
      "- [x] done",
      "",
      "```ts",
      "const x: Array<string> = [];",
      "```",
      "",
      "| a | b |",
      "|---|---|",
      "👩‍💻 ok",
    ];
    expect(neutral(text.join("\n"))).toBe(text.join("\n"));
  });

  it("draws no diagrams and writes fences longer than what is in them", () => {
    expect(neutral("```mermaid\ngraph\n```")).toBe("```\ngraph\n```");
    expect(neutral("~~~\n```\n/x\n```\n~~~")).toBe("````\n```\n/x\n```\n````");
    expect(neutral("```js\nno end")).toBe("```js\nno end\n```");
  });

  it("says how much it cut", () => {
    expect(neutralText("a".repeat(30), { ...options, max: 10 })).toBe(
      `${"a".repeat(10)}\n\n(Cut here: 10 of 30 characters are shown.)`,
    );
  });

  it("makes titles of one line without references and directives", () => {
    expect(neutralTitle("Fix `x`\n[skip ci] <!-- h -->", 100)).toBe("Fix x [\u200bskip ci]");
    expect(neutralTitle("Fixes #9 for @octo", 100)).toBe("Fixes #\u200b9 for @\u200bocto");
    expect(neutralTitle("x".repeat(300), 10)).toBe(`${"x".repeat(9)}…`);
  });

  it("lets a table's cell hold anything", () => {
    expect(neutralCell("a | b\n`c` <d>", 100)).toBe("a &#124; b &#96;c&#96; &#60;d&#62;");
    expect(codeSpan("npm test | tee")).toBe("<code>npm test &#124; tee</code>");
  });

  it("holds for any text at all", () => {
    const pieces = fc.constantFrom(
      ..."` `` ``` ~~~ < > & \\ [ ] ( ) ! @octo #8 https:// /agent <!-- --> $ | \n \n\n a".split(" "),
      "\n",
      " ",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }).map((all) => all.join("")),
        (text) => {
          const out = neutral(text);
          const prose = withoutCode(out);
          expect(prose).not.toMatch(/[<\\$`]|@[a-z]|:\/\//i);
          expect(prose.replace(/^\s*[-*+] \[[ xX]\] /gm, "")).not.toMatch(/\[/);
          expect(out.split("\n").some((line) => line.trimStart().startsWith("/agent"))).toBe(false);
          expect(parseCommand(out, "/agent")).toBeNull();
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** What is left when fences and code spans are taken out the way CommonMark finds them. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    if (fence === null) {
      const open = /^(`{3,})[a-z0-9+#-]*$/.exec(line);
      if (open) fence = open[1] ?? null;
      else kept.push(line.replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g, ""));
    } else if (line === fence) fence = null;
  }
  expect(fence).toBeNull();
  return kept.join("\n");
}
