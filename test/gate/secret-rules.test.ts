import { describe, expect, it } from "vitest";
import { secretsIn, withoutSecrets } from "../../src/gate/secret-rules.ts";
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

  it("is looked through in time that grows with its length alone", () => {
    const hard = `${"eyJ".repeat(20_000)}${"aws secret ".repeat(20_000)}${"a:b@://".repeat(20_000)}${"-----BEGIN PRIVATE KEY-----\nA".repeat(5000)}`;
    expect(secretsIn(hard)).toEqual([]);
  });
});
