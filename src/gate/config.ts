import * as v from "valibot";
import { isObject } from "../base/json.ts";
import { type Caps, defaultCaps } from "./caps.ts";
import type { Check } from "./checks.ts";
import { type ConfigRefused, keysOf, type ParsedFile, refusal, standsAt } from "./config-refusal.ts";
import {
  type AlreadyRedPolicy,
  alreadyRedPolicies,
  type BaselinePolicy,
  baselinePolicies,
  type TamperPolicy,
  tamperPolicies,
  type UnprovedPolicy,
  unprovedPolicies,
} from "./policy.ts";

/** What `.github/agent.yml` says. Null means that the file does not say it. */
export type Config = {
  /** Names of variables that are passed through to setup, tools and checks. */
  readonly env: readonly string[];
  readonly setup: readonly string[];
  /** Empty when none are declared. */
  readonly checks: readonly Check[];
  /** Patterns of paths that may change but are flagged. */
  readonly protected: readonly string[];
  readonly tamper: TamperPolicy;
  readonly alreadyRed: AlreadyRedPolicy;
  readonly unproved: UnprovedPolicy;
  readonly baseline: BaselinePolicy;
  readonly limits: Caps;
  /** Null: the first of AGENTS.md and CLAUDE.md that exists. */
  readonly instructions: readonly string[] | null;
  /** Tools of which each call waits until a person has allowed it. */
  readonly approve: readonly string[];
  readonly budget: {
    readonly turns: number | null;
    readonly minutes: number | null;
    readonly tokens: number | null;
    readonly costUsd: number | null;
  };
};

/** What holds where there is no file. */
export const noConfig: Config = {
  env: [],
  setup: [],
  checks: [],
  protected: [],
  tamper: "flag",
  alreadyRed: "show",
  unproved: "draft",
  baseline: "beside",
  limits: defaultCaps,
  instructions: null,
  approve: [],
  budget: { turns: null, minutes: null, tokens: null, costUsd: null },
};

/** `source` names the file in refusals, which say `file:line: what is wrong; what is allowed`. */
export function readConfig(
  parsed: ParsedFile,
  source: string,
): { readonly kind: "config"; readonly config: Config } | ConfigRefused {
  // An empty file says as much as none.
  if (parsed.value === null || parsed.value === undefined) return { kind: "config", config: noConfig };
  const read = v.safeParse(configSchema, parsed.value);
  if (!read.success) return refusal(read.issues[0], parsed, source);
  const { env, setup, checks, protected: flagged, instructions, approve, budget } = read.output;
  const named = withNames(checks ?? []);
  if (named.kind === "twice") {
    const why = `two checks are named \`${named.name}\`; names must differ`;
    return { kind: "refused", why: `${standsAt(["checks", named.index], parsed, source)}${why}` };
  }
  const config: Config = {
    env: env ?? [],
    setup: setup ?? [],
    checks: named.checks,
    protected: flagged ?? [],
    ...policiesIn(read.output),
    limits: capsIn(read.output),
    instructions: instructions ?? null,
    approve: approve ?? [],
    budget: {
      turns: budget?.turns ?? null,
      minutes: budget?.minutes ?? null,
      tokens: budget?.tokens ?? null,
      costUsd: budget?.["cost-usd"] ?? null,
    },
  };
  return { kind: "config", config };
}

function capsIn({ limits: caps }: Said): Caps {
  return {
    files: caps?.files ?? defaultCaps.files,
    bytes: caps?.bytes ?? defaultCaps.bytes,
    fileBytes: caps?.["file-bytes"] ?? defaultCaps.fileBytes,
  };
}

type Said = v.InferOutput<typeof configSchema>;

function policiesIn(said: Said): Pick<Config, "tamper" | "alreadyRed" | "unproved" | "baseline"> {
  const { tamper, "already-red": alreadyRed, unproved, baseline } = said;
  return {
    tamper: tamper ?? noConfig.tamper,
    alreadyRed: alreadyRed ?? noConfig.alreadyRed,
    unproved: unproved ?? noConfig.unproved,
    baseline: baseline ?? noConfig.baseline,
  };
}

/** The input `setup`: one command a line; blank lines and lines that begin with `#` do not count. */
export function commandsFromLines(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The input `checks`: one command a line. The same command twice is one check. */
export function checksFromLines(text: string): readonly Check[] {
  const commands = new Map(commandsFromLines(text).map((run) => [nameOf(run), run]));
  const named = withNames(Array.from(commands.values(), (run) => ({ run })));
  if (named.kind === "twice") throw new Error(`cannot name the check \`${named.name}\`: the name is taken`);
  return named.checks;
}

type Declared = Partial<Check> & { readonly run: string };

function withNames(
  declared: readonly { readonly [K in keyof Declared]: Declared[K] | undefined }[],
):
  | { readonly kind: "named"; readonly checks: readonly Check[] }
  | { readonly kind: "twice"; readonly name: string; readonly index: number } {
  const seen = new Set<string>();
  const checks: Check[] = [];
  for (const [index, one] of declared.entries()) {
    const name = one.name ?? (declared.length === 1 ? "test" : nameOf(one.run ?? ""));
    if (seen.has(name)) return { kind: "twice", name, index };
    seen.add(name);
    const { minutes = 10, proof = false, dir = "", network = false } = one;
    checks.push({ name, run: one.run ?? "", minutes, proof, dir, network });
  }
  return { kind: "named", checks };
}

function nameOf(run: string): string {
  return run.replace(/\s+/g, " ").trim();
}

const command = v.pipe(
  v.string("expected a command"),
  v.check((text) => text.trim() !== "" && !text.includes("\0"), "the command is empty"),
  v.maxLength(4000, "the command is over 4000 characters"),
);

/** The tools that can change something; reading never waits for anybody. */
export const changingTools = ["edit", "write", "shell"] as const;

const secretLike =
  /^(?:INPUT|ACTIONS|GITHUB|RUNNER|ANTHROPIC|AWS|AZURE)_|(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|KEY|CREDENTIALS?)$/i;
/** The program that takes away a command's rights runs with these variables too, and they make it load what they name. */
const loaderLike = /^LD_/i;
const variable = v.pipe(
  v.string("expected the name of a variable"),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of a variable: letters, digits and _"),
  v.check(
    (name) => !secretLike.test(name),
    "a variable of this name may hold a secret and is never passed on",
  ),
  v.check((name) => !loaderLike.test(name), "a variable that changes what programs load is never passed on"),
);

const insidePath = v.pipe(
  v.string("expected a path inside the repository"),
  v.check(isInside, "expected a relative path inside the repository, without `..`"),
);

const check = mapping(keysOf.check, {
  name: v.optional(
    v.pipe(
      v.string("expected a name"),
      v.regex(
        /^[^\p{Cc}\p{Cf}\s](?:[^\p{Cc}\p{Cf}]{0,58}[^\p{Cc}\p{Cf}\s])?$/u,
        "expected a name of 1 to 60 characters in one line",
      ),
    ),
  ),
  run: command,
  minutes: v.optional(number("minutes", 0.1, 360)),
  proof: v.optional(v.boolean("expected true or false")),
  dir: v.optional(
    v.pipe(
      insidePath,
      v.transform((dir) => dir.replace(/^(?:\.\/)+|^\.$|\/+$/g, "")),
    ),
  ),
  network: v.optional(v.boolean("expected true or false")),
});

const configSchema = mapping(keysOf.config, {
  env: v.optional(v.array(variable, "expected a list of variable names")),
  setup: v.optional(v.array(command, "expected a list of commands")),
  checks: v.optional(
    v.pipe(
      v.array(check, "expected a list of checks, such as `- { name: test, run: npm test }`"),
      v.minLength(
        1,
        "the list is empty; declare at least one check, such as `- { name: test, run: npm test }`",
      ),
      v.maxLength(50, "more than 50 checks"),
    ),
  ),
  protected: v.optional(
    v.array(
      v.pipe(v.string("expected a pattern of paths"), v.nonEmpty("the pattern is empty")),
      "expected a list of path patterns",
    ),
  ),
  tamper: v.optional(oneOf(tamperPolicies)),
  "already-red": v.optional(oneOf(alreadyRedPolicies)),
  unproved: v.optional(oneOf(unprovedPolicies)),
  baseline: v.optional(oneOf(baselinePolicies)),
  limits: v.optional(
    mapping(keysOf.limits, {
      files: v.optional(whole("files", 1, 100_000)),
      bytes: v.optional(whole("bytes", 1, 1e9)),
      "file-bytes": v.optional(whole("bytes", 1, 1e8)),
    }),
  ),
  instructions: v.optional(v.array(insidePath, "expected a list of paths")),
  approve: v.optional(
    v.array(
      v.picklist(changingTools, `expected one of ${changingTools.join(", ")}`),
      `expected a list of tools, of ${changingTools.join(", ")}`,
    ),
  ),
  budget: v.optional(
    mapping(keysOf.budget, {
      turns: v.optional(whole("turns", 1, 10_000)),
      minutes: v.optional(number("minutes", 1, 7200)),
      tokens: v.optional(whole("tokens", 1000, 1e12)),
      "cost-usd": v.optional(number("US dollars", 0, 1e6)),
    }),
  ),
});

function oneOf<Word extends string>(words: readonly Word[]) {
  return v.picklist(words, `expected one of ${words.join(", ")}`);
}

function number(unit: string, least: number, most: number) {
  const message = `expected a number of ${unit} from ${least} to ${most}`;
  return v.pipe(v.number(message), v.minValue(least, message), v.maxValue(most, message));
}

function whole(unit: string, least: number, most: number) {
  return v.pipe(number(unit, least, most), v.integer("expected a whole number"));
}

/** A list is an object too for the schema library, so it has to be told apart first. */
function mapping<Entries extends v.ObjectEntries>(keys: readonly string[], entries: Entries) {
  const message = `expected keys and values (${keys.join(", ")})`;
  return v.pipe(v.custom<object>(isObject, message), v.strictObject(entries));
}

function isInside(path: string): boolean {
  return !/^[/~]|\\|\0/.test(path) && !path.split("/").includes("..") && path.split("/")[0] !== ".git";
}
