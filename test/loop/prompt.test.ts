import { describe, expect, it } from "vitest";
import { systemPrompt } from "../../src/loop/prompt.ts";
import { someSha } from "../kit/given.ts";

const bare = {
  repository: "octo/demo",
  baseSha: someSha,
  baseRef: null,
  setup: [],
  checks: [],
  instructions: null,
};

describe("the system prompt", () => {
  it("says where the model is, what counts, how to work, what to trust and how to finish", () => {
    const prompt = systemPrompt({
      ...bare,
      baseRef: "main",
      setup: ["npm ci", "npm run build\nnpm run gen"],
      checks: [
        { name: "test", run: "npm test", dir: "" },
        { name: "lint", run: "npm run lint", dir: "packages/core" },
      ],
      instructions: { path: "AGENTS.md", text: "Use tabs.\n" },
    });
    expect(prompt).toMatchSnapshot();
  });

  it("leaves out what there is nothing to say about", () => {
    const prompt = systemPrompt(bare);
    expect(prompt).not.toMatch(/\{\{|Before you started|These checks decide|Instructions of this repository/);
    expect(prompt).toContain("at commit 1111111111111111111111111111111111111111, and you work alone.");
  });

  it("says of which checks the tests of the change have to prove it", () => {
    const checks = [
      { name: "test", run: "npm test", dir: "", proof: true },
      { name: "lint", run: "npm run lint", dir: "", proof: false },
    ];
    const prompt = systemPrompt({ ...bare, checks });
    expect(prompt).toContain(
      "- test: `npm test`; without your change, but with the tests you add or alter, it has to fail by what they assert\n- lint: `npm run lint`\n",
    );
  });

  it("names no provider and no model", () => {
    expect(systemPrompt(bare)).not.toMatch(/anthropic|claude|openai|gpt|gemini|bedrock|vertex/i);
  });

  it("does not read braces in a value as its own", () => {
    const text = "{{repository}} {{#checks}}x{{/checks}} {{/instructions}} $1 $&";
    expect(systemPrompt({ ...bare, instructions: { path: "AGENTS.md", text } })).toContain(text);
  });
});
