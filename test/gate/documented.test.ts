import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keysOf } from "../../src/gate/config-refusal.ts";
import {
  alreadyRedPolicies,
  baselinePolicies,
  tamperPolicies,
  unprovedPolicies,
} from "../../src/gate/policy.ts";

const page = readFileSync("docs/gate.md", "utf8");

describe("docs/gate.md", () => {
  it("names every kind of tampering that is found, and no other", () => {
    const source = readFileSync("src/gate/suspicion.ts", "utf8");
    const kinds = Array.from(source.matchAll(/^ {2}\| "([a-z-]+)"/gm), ([, kind]) => kind ?? "");
    const [, table = ""] = /\n\| kind \| what \|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const first = table.split("\n").map((line) => line.split("|")[1] ?? "");
    const named = first.flatMap((cell) => Array.from(cell.matchAll(/`([a-z-]+)`/g), ([, kind]) => kind));
    expect(named.toSorted()).toEqual(kinds.toSorted());
  });

  it("names every policy with its values, the default first", () => {
    const policies = {
      tamper: tamperPolicies,
      "already-red": alreadyRedPolicies,
      unproved: unprovedPolicies,
      baseline: baselinePolicies,
    };
    for (const [key, values] of Object.entries(policies))
      expect(page).toContain(`| \`${key}\` | ${values.map((value) => `\`${value}\``).join(", ")} |`);
    expect(page).toContain(`| \`limits\` | ${keysOf.limits.map((key) => `\`${key}\``).join(", ")} |`);
  });
});
