import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withTables } from "../.github/scripts/readme-tables.ts";
import { pricesAsOf } from "../src/loop/prices.ts";

type Described = { readonly description: string; readonly default?: unknown };
const action = parse(readFileSync("action.yml", "utf8")) as {
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
  readonly runs: Readonly<Record<string, string>>;
};
const readme = readFileSync("README.md", "utf8");

describe("action.yml", () => {
  it("runs the bundles on Node 24, and post always", () => {
    expect(action.runs).toEqual({
      using: "node24",
      main: "dist/main/index.js",
      post: "dist/post/index.js",
      "post-if": "always()",
    });
  });

  it("names files that are there", () => {
    expect(["main", "post"].filter((name) => !existsSync(action.runs[name] ?? ""))).toEqual([]);
  });

  it("gives every input a text as its default and describes everything in whole sentences", () => {
    const { inputs, outputs } = action;
    const badDefaults = Object.entries(inputs).filter(([, input]) => typeof input.default !== "string");
    const badSentences = Object.entries({ ...inputs, ...outputs }).filter(
      ([, { description }]) => !/^[A-Z`].*\.$/.test(description),
    );
    expect({ badDefaults, badSentences }).toEqual({ badDefaults: [], badSentences: [] });
  });

  it("names the date of the prices that a cost is told by", () => {
    expect(action.outputs["cost-usd"]?.description).toContain(`list prices of ${pricesAsOf}`);
  });

  it("has the README's tables made from it", () => {
    expect(withTables(readme, action)).toBe(readme);
  });

  it("changes the README's tables when it changes", () => {
    const more = {
      ...action,
      inputs: { ...action.inputs, added: { description: "A | bar.", default: "x" } },
    };
    expect(withTables(readme, more)).toContain("| `added` | `x` | A \\| bar. |");
    expect(() => withTables("no markers", action)).toThrow("<!-- inputs -->");
  });
});
