import { describe, expect, it } from "vitest";
import { changedLine } from "../../src/gate/changed-line.ts";
import { checkOf, tampered } from "./given-change.ts";

const test = `import { sum } from "./sum.js";

test("adds", () => {
  expect(sum(1, 2)).toBe(3);
});
test("adds nothing", () => {
  expect(sum(1, 0))
    .toBe(1);
});
`;

describe("the line of a change to look at", () => {
  const before = "a\nb\n\nc\nb\n";
  it.each<[string, string | null, string | undefined, number]>([
    ["is the first new one", "a\nb\n\nc\nnew\nb\n", undefined, 5],
    ["is no line that is only set in or moved", "  a\nb\n\nb\nc\nnew\n", undefined, 6],
    ["is where the first one was taken out", "a\nb\n\nb\n", undefined, 4],
    ["is the last where the end was taken out", "a\nb\n", undefined, 3],
    ["is where the text stands, of several the new one", "a\nb\nb \nc\nx\nb y\nb\n", "b", 6],
    ["is a new line of a text that goes over several", "a\nb\n\nc(\nd\n)\nb\n", "c( d )", 4],
    ["is where the text stands that is not new", "new\na\nb\n\nc\nb\n", "c", 5],
    ["is the first new one where the text is nowhere", "a\nnew\nb\n", "z", 2],
    ["is the first of a file that is gone", null, "a", 1],
    ["is the first of an empty file", "", "a", 1],
    ["is the first of a file that is too long", `a\n${"x".repeat(512 * 1024)}\n`, "x", 1],
  ])("%s", (_, after, text, line) => {
    expect(changedLine({ before, after }, text)).toBe(line);
  });

  it.each<[string, string, string, string, number]>([
    ["a skipped test", "a.test.js", 'test("adds nothing"', 'test.skip("adds nothing"', 6],
    ["another expectation", "a.test.js", "    .toBe(1)", "    .toBe(2)", 8],
    [
      "an assertion set deeper",
      "a.test.js",
      "  expect(sum(1, 2)).toBe(3);",
      "\n  if (on()) {\n  expect(sum(1, 2)).toBe(3); }",
      6,
    ],
    ["a suppression", "sum.js", "b;\n", "b;\n// eslint-disable-next-line\n", 3],
    ["a script of a check", "package.json", '"node --test"', '"true"', 4],
  ])("is found for %s", async (_, path, from, to, line) => {
    const base: Record<string, string> = {
      "a.test.js": test,
      "sum.js": "export const sum = (a, b) =>\n  a + b;\nexport const on = () => true;\n",
      "package.json": '{\n  "name": "test",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
    };
    const before = base[path] ?? "";
    expect(before).toContain(from);
    const after = before.replace(from, to);
    const [found] = await tampered(base, { [path]: after }, [checkOf("npm test")]);
    expect(found?.path).toBe(path);
    expect(changedLine({ before, after }, found?.at)).toBe(line);
  });
});
