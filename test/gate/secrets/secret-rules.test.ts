import { describe, expect, it } from "vitest";
import { ownRules, secretsIn, withoutSecrets } from "../../../src/gate/secrets/secret-rules.ts";
import { drawn, hits, nearMisses } from "./given-secrets.ts";

describe("a text that is looked through for credentials", () => {
  it.each(hits())("holds %s", (kind, text, secret) => {
    expect(secretsIn(text)).toEqual([{ kind, index: text.indexOf(secret), text: secret }]);
  });

  it.each(nearMisses())("holds none where there is %s", (_, text) => {
    expect(secretsIn(text)).toEqual([]);
  });

  it("leaves without them, and says of each what it was", () => {
    const key = drawn("sk_live_", 30);
    const token = drawn("ghp_", 36);
    expect(withoutSecrets(`Use ${key}, then ${token}.`)).toBe(
      "Use (taken out: a Stripe key), then (taken out: a GitHub token).",
    );
    expect(withoutSecrets("Nothing is in here.")).toBe("Nothing is in here.");
  });

  it("names what two rules know by different parts as one", () => {
    const [before, after] = ["https://u:", "@example.org"];
    const token = drawn("glpat-", 20);
    expect(secretsIn(`${before}${token}.01.${drawn("", 9)}${after}`)).toMatchObject([
      { text: expect.stringContaining(token) },
    ]);
    expect(withoutSecrets(`${before}${token}.01.${drawn("", 9)}${after}`)).toMatch(
      /^https:\/\/u:\(taken out: [^)]+\)@example\.org$/,
    );
  });

  it("is looked through in time that grows with its length alone", () => {
    const repeated = (text: string) => text.repeat(Math.ceil(60_000 / text.length));
    const hard = [
      "eyJ",
      "aws secret ",
      "a:b@://",
      "-----BEGIN PRIVATE KEY-----\nA",
      "_authToken=",
      "ghs_1_a.",
      "https://x",
    ];
    for (const text of hard.map(repeated)) expect(secretsIn(text)).toEqual([]);
  });

  it.each(ownRules.map(({ kind, pattern }) => [kind, pattern.source] as const))(
    "is looked through for %s with a pattern that never reads on without end",
    (_, source) => {
      const plain = source.replace(/\\./g, "").replace(/\[[^\]]*\]/g, "");
      expect(plain).not.toMatch(/[*+]|\{\d+,\}/);
    },
  );
});
