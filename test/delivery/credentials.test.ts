import { describe, expect, it } from "vitest";
import { exactJson } from "../../src/delivery/exact-json.ts";
import { codeBlock, codeSpan, neutralCell, neutralText, neutralTitle } from "../../src/delivery/neutral.ts";
import { secretsIn } from "../../src/gate/secrets/secret-rules.ts";
import { drawn, hits } from "../gate/secrets/given-secrets.ts";

const said = (text: string) => neutralText(text, { max: 20_000, issue: null, triggerPhrase: "/agent" });

describe("a credential in a text that leaves", () => {
  it.each<[where: string, write: (text: string) => string]>([
    ["a paragraph", said],
    ["a block of code", (text) => said(`\`\`\`\n${text}\n\`\`\``)],
    ["a program's output", (text) => codeBlock(text.split("\n"), "", "/agent").join("\n")],
    ["a title", (text) => neutralTitle(text, 9000)],
    ["a cell of a table", (text) => neutralCell(text, 9000)],
    ["a name", (text) => codeSpan(text, 9000)],
    ["what a person is asked to allow", (text) => exactJson(JSON.stringify({ command: text })).text],
  ])("is taken out of %s, and what it was stands in its place", (_, write) => {
    for (const [kind, text, secret] of hits()) {
      const written = write(text);
      expect(written).not.toContain(secret.slice(-16));
      expect(written).toContain(`(taken out: ${kind})`);
    }
  });

  it("is found although somebody hid characters in it, and in what is cut", () => {
    const token = drawn("ghp_", 36);
    const hidden = `${token.slice(0, 9)}\u200b${token.slice(9)}`;
    expect(said(`use ${hidden}`)).toBe("use (taken out: a GitHub token)");
    expect(said(`use ${token.slice(0, 9)}<!-- x -->${token.slice(9)}`)).toBe(
      "use (taken out: a GitHub token)",
    );
    expect(neutralCell(`use ${token}`, 20)).toBe("use (taken out: a G…");
  });

  it("is no reason to change a text without one", () => {
    const text = "Read the `API_KEY` from the environment, such as AKIAIOSFODNN7EXAMPLE.";
    expect(secretsIn(text)).toEqual([]);
    expect(said(text)).toBe(text);
  });
});
