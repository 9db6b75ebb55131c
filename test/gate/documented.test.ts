import { readFileSync } from "node:fs";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import { keysOf } from "../../src/gate/config-refusal.ts";
import { dependencyFormat, dependencyFormats } from "../../src/gate/dependencies/dependency-files.ts";
import {
  alreadyRedPolicies,
  baselinePolicies,
  tamperPolicies,
  unprovedPolicies,
} from "../../src/gate/policy.ts";
import { appliedRules, nameOf } from "../../src/gate/secrets/published-rules.ts";
import { ownRules } from "../../src/gate/secrets/secret-rules.ts";

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

  it("names every kind of credential that is looked for, and by whose rules", () => {
    const named = (whose: string) =>
      new RegExp(`\\n\\| ${whose} \\| (.*) \\|\\n`).exec(page)?.[1]?.split(", ").toSorted();
    const kinds = (of: readonly { readonly kind: string }[]) =>
      [...new Set(of.map(({ kind }) => kind))].toSorted();
    expect(named("secretlint")).toEqual(kinds(Object.values(appliedRules)));
    expect(named("our own")).toEqual(kinds(ownRules));
  });

  it("says of every rule of secretlint that is left out why, so that a new one is looked at", () => {
    const [, table = ""] = /\n\| rule \| why \|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const leftOut = Array.from(table.matchAll(/`([a-z-]+)`(?=[^|]*\|[^|]*\|$)/gm), ([, name = ""]) => name);
    const all = rules.map(({ meta }) => nameOf(meta.id));
    expect([...leftOut, ...Object.keys(appliedRules)].toSorted()).toEqual(all.toSorted());
  });

  it("names every file that decides what is installed, and how it is read", () => {
    const named = (how: string) => {
      const cell = page.split("\n").find((line) => line.startsWith(`| ${how}`)) ?? "";
      return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name);
    };
    const rows = [
      ...named("by its grammar").map((name) => [name, "exactly"] as const),
      ...named("line by line").map((name) => [name, "line by line"] as const),
      ...named("not at all").map((name) => [name, null] as const),
    ];
    for (const [name, how] of rows) {
      const format = dependencyFormat(name);
      expect([name, format?.read === null ? null : format?.how]).toEqual([name, how]);
    }
    const known = new Set(rows.map(([name]) => dependencyFormat(name)));
    expect(dependencyFormats.filter((format) => !known.has(format))).toEqual([]);
  });

  it("names every key of the configuration, and no other", () => {
    const [, table = ""] = /\n\| key \| values \| what follows \|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const rows = table.split("\n").slice(1);
    const wordsIn = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, word]) => word);
    const values = new Map(rows.map((row) => [wordsIn(row.split("|")[1])[0], wordsIn(row.split("|")[2])]));
    expect([...values.keys()].toSorted()).toEqual(keysOf.config.toSorted());
    expect(values.get("checks")?.toSorted()).toEqual(keysOf.check.toSorted());
    expect(values.get("budget")).toEqual(keysOf.budget);
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
