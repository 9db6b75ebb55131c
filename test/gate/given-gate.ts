import { memoryChecks } from "../../src/adapters/memory/checks.ts";
import { parseTree, type Tree } from "../../src/base/hash.ts";
import type { Check, CheckRun } from "../../src/gate/checks.ts";
import type { AlreadyRedPolicy, TamperPolicy, UnprovedPolicy } from "../../src/gate/policy.ts";
import type { Payload, SessionEvent } from "../../src/session/event.ts";

export function treeOf(letter: string): Tree {
  const tree = parseTree(letter.repeat(40));
  if (tree === null) throw new Error("the test needs a hex digit");
  return tree;
}

export const base = treeOf("a");
export const change = treeOf("b");
export const check = (name: string): Check => ({
  name,
  run: `run ${name}`,
  minutes: 10,
  proof: false,
  dir: "",
  network: false,
});

export const outcomes = {
  green: { exitCode: 0, timedOut: false, cancelled: false, ms: 5, output: "fine" },
  red: { exitCode: 1, timedOut: false, cancelled: false, ms: 6, output: "1 test failed" },
  late: { exitCode: null, timedOut: true, cancelled: false, ms: 7, output: "" },
  five: { exitCode: 0, timedOut: false, cancelled: false, ms: 5, output: "# tests 5\n# pass 5\n# fail 0\n" },
  three: {
    exitCode: 0,
    timedOut: false,
    cancelled: false,
    ms: 5,
    output: "# tests 5\n# pass 3\n# skipped 2\n",
  },
  none: { exitCode: 0, timedOut: false, cancelled: false, ms: 5, output: "# tests 0\n# pass 0\n# fail 0\n" },
  failing: {
    exitCode: 1,
    timedOut: false,
    cancelled: false,
    ms: 5,
    output: "# tests 5\n# pass 4\n# fail 1\n",
  },
  worse: { exitCode: 1, timedOut: false, cancelled: false, ms: 5, output: "# tests 5\n# pass 3\n# fail 2\n" },
  boasting: {
    exitCode: 1,
    timedOut: false,
    cancelled: false,
    ms: 5,
    output: "# tests 5\n# pass 5\n# fail 0\n",
  },
  flooded: {
    exitCode: 0,
    timedOut: false,
    cancelled: false,
    ms: 5,
    output: "[cut here: 9 bytes, 1 line end]\n# tests 0\n",
  },
  killed: { exitCode: null, timedOut: false, cancelled: false, ms: 8, output: "half" },
} as const satisfies Record<string, CheckRun>;
export type Outcome = keyof typeof outcomes;

/** Each check as `[on base, on the change]`. */
export function gate(table: Readonly<Record<string, readonly [Outcome, Outcome]>>) {
  const port = memoryChecks(({ name }, tree) => outcomes[table[name]?.[tree === base ? 0 : 1] ?? "green"]);
  const events: SessionEvent[] = [];
  const checks = Object.keys(table).map(check);
  const asked = {
    checks,
    port,
    baseTree: base,
    tree: change,
    round: 1,
    testsTree: null as Tree | null,
    known: { base: new Map(), tests: new Map() },
    tamper: "flag" as TamperPolicy,
    alreadyRed: "show" as AlreadyRedPolicy,
    unproved: "draft" as UnprovedPolicy,
    append: async (event: SessionEvent) => events.push(event),
    payload: async (text: string) => ({ type: "inline", text }) as const,
    quote: (label: string, text: string) => `<${label}>${text}</>`,
    signal: new AbortController().signal,
  };
  return { asked, port, events, checks };
}

export const load = async (payload: Payload) => (payload.type === "inline" ? payload.text : "");
