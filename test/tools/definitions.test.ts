import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { toolNamed, tools } from "../../src/tools/all.ts";
import { checkArguments, definitions } from "../../src/tools/definitions.ts";
import { givenWorkspace } from "./given-workspace.ts";

describe("the definitions", () => {
  it("are what the model was told before", () => {
    expect(definitions(tools)).toMatchSnapshot();
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    "%s has the class of what it may change",
    (name, tool) => {
      expect(tool.class).toBe(["edit", "write", "shell"].includes(name) ? "workspace" : "read");
      expect(toolNamed(name)).toBe(tool);
    },
  );

  it.each(definitions(tools).map((definition) => [definition.name, definition] as const))(
    "%s shows an example that its own schema takes",
    (name, { description, inputSchema }) => {
      const example = /Example: (\{.*\})$/.exec(description)?.[1];
      if (example === undefined) return;
      const tool = toolNamed(name);
      if (tool === null) throw new Error(`no tool ${name}`);
      expect(new Ajv().validate(inputSchema, JSON.parse(example))).toBe(true);
      expect(checkArguments(tool, JSON.parse(example))).toMatchObject({ kind: "valid" });
    },
  );
});

describe("the arguments", () => {
  const cases: readonly (readonly [tool: string, input: unknown, why: RegExp])[] = [
    ["read", null, /the arguments must be an object, but got null/],
    ["read", { path: "" }, /"path"/],
    ["read", { path: "a", from: 0 }, /"from"/],
    ["read", { path: "a", from: 1.5 }, /"from"/],
    ["read", { path: "a", from: "1" }, /"from" must be number, but got "1"/],
    ["edit", { path: "a", old: "b" }, /"new" is missing/],
    ["edit", { file: "a", old: "b", new: "c" }, /"path" is missing; unknown key "file"/],
    [
      "plan",
      { items: [{ text: "a", status: "later" }] },
      /"items.0.status" must be \("open" \| "doing" \| "done"\)/,
    ],
    ["plan", { items: [{ text: "a", status: "open", due: 1 }] }, /unknown key "items.0.due"/],
    ["ask", { question: " \n" }, /"question"/],
  ];
  it.each(cases)("of %s are refused: %j", (name, input, why) => {
    const tool = toolNamed(name);
    if (tool === null) throw new Error(`no tool ${name}`);
    const checked = checkArguments(tool, input);
    expect(checked.kind === "invalid" ? checked.why : "valid").toMatch(why);
  });
});

it("plan gives the plan back", async () => {
  using bench = givenWorkspace();
  const items = [
    { text: "a", status: "done" },
    { text: "b", status: "doing" },
  ];
  const result = await bench.use("plan", { items });
  expect(result).toEqual({
    status: "ok",
    output: "Plan taken: 1 done, 1 being done, 0 open.",
    whole: null,
    plan: items,
  });
});
