import type { Digest, Tree } from "../base/hash.ts";
import type { Payload, SessionEvent } from "../session/event.ts";
import type { Check, CheckRun, Checks } from "./checks.ts";
import type { TamperPolicy } from "./config.ts";
import { countsIn, moreFailures } from "./counts.ts";
import { definitionsDigest } from "./definitions.ts";
import { type EvidenceRow, evidenceRow, fewerTests, type Ran, stateOf } from "./evidence.ts";
import { findingsText, type Quote } from "./findings-text.ts";
import type { Finding, Passed, Verdict } from "./verdict.ts";

/** Results on the base tree, by the check's name. */
export type KnownOnBase = ReadonlyMap<string, Ran>;

type Asked = {
  /** At least one; names are unique. */
  readonly checks: readonly Check[];
  readonly port: Checks;
  /** Sealed right after setup. */
  readonly baseTree: Tree;
  /** The exact tree that would be delivered. */
  readonly tree: Tree;
  readonly round: number;
  /** What earlier rounds found on base, so that base is judged once a session: `knownOnBase`. */
  readonly known: KnownOnBase;
  /** What follows when a green check reports fewer tests than on base: it is shown, or not passed. */
  readonly tamper: TamperPolicy;
  readonly append: (event: SessionEvent) => Promise<unknown>;
  /** Inline, or stored as a blob. */
  readonly payload: (text: string) => Promise<Payload>;
  readonly quote: Quote;
  readonly signal: AbortSignal;
};

type Result = CheckRun & Ran;
type Judged = { readonly check: Check; readonly onBase: Ran; readonly onTree: Result };

/** Reads a payload of the log. */
type Load = (payload: Payload) => Promise<string>;

/**
 * Runs every check, always, each in a checkout of its own so that none can prepare another's: on base unless that is
 * known, and on the tree. A check that was red on base is shown and not held against the change, unless its runner
 * reports more failures than there; but where nothing comes out green, nothing is proved, and the verdict is `failed`. When cancelled, the check under way stays open in
 * the log and is run again by the next run. Throws when no checkout can be made.
 */
export async function judge(asked: Asked): Promise<Verdict> {
  if (asked.checks.length === 0) throw new Error("cannot judge a change without checks");
  const judged: Judged[] = [];
  for (const check of asked.checks) {
    const onBase = asked.known.get(check.name) ?? (await runOne(asked, check, "base"));
    const onTree = onBase === null ? null : await runOne(asked, check, "change");
    if (onBase === null || onTree === null) return { kind: "cancelled" };
    judged.push({ check, onBase, onTree });
  }
  const evidence = judged.map(({ check, onBase, onTree }) => evidenceRow(check, onBase, onTree));
  const findings = findingsOf(judged, asked.tamper === "refuse" ? evidence : []);
  return findings.length === 0 ? pass(asked, evidence) : fail(asked, findings, evidence);
}

/** What the log already knows about checks on this base tree; the checks must be the ones that it was made with. */
export function knownOnBase(
  events: Iterable<SessionEvent>,
  baseTree: Tree,
  load: Load,
): Promise<KnownOnBase> {
  return settledOn(events, "base", baseTree, load);
}

/**
 * The proof that the log holds for this tree, so that a resumed run does not judge it again; null when the last
 * `gate.passed` is about another tree or other definitions.
 */
export async function passedBefore(
  events: readonly SessionEvent[],
  { checks, baseTree, tree }: Pick<Asked, "checks" | "baseTree" | "tree">,
  load: Load,
): Promise<Extract<Verdict, { kind: "passed" }> | null> {
  const last = events.findLast((event) => event.type === "gate.passed" || event.type === "gate.failed");
  if (last?.type !== "gate.passed") return null;
  if (last.tree !== tree || last.definitions !== definitionsDigest(checks)) return null;
  const onBase = await settledOn(events, "base", baseTree, load);
  const onTree = await settledOn(events, "change", tree, load);
  const evidence = checks.map((check) =>
    evidenceRow(check, onBase.get(check.name) ?? null, onTree.get(check.name) ?? null),
  );
  return { kind: "passed", passed: mint(tree, last.definitions, last.round), evidence };
}

/** Null when cancelled. */
async function runOne(asked: Asked, check: Check, on: "base" | "change"): Promise<Result | null> {
  const { round, signal } = asked;
  if (signal.aborted) return null;
  const tree = on === "base" ? asked.baseTree : asked.tree;
  await asked.append({ type: "check.started", round, check: check.name, on, tree });
  const run = await runIn(asked, check, tree);
  if (run === null || run.cancelled) return null;
  const { exitCode, timedOut, ms } = run;
  const output = await asked.payload(run.output);
  const settled = { round, check: check.name, on, tree, exitCode, timedOut, ms, output };
  await asked.append({ type: "check.settled", ...settled });
  return { ...run, counts: countsIn(run.output) };
}

async function runIn({ port, signal }: Asked, check: Check, tree: Tree): Promise<CheckRun | null> {
  try {
    await using checkout = await port.checkout(tree, { signal });
    return await checkout.run(check, { signal });
  } catch (cause) {
    // Making the checkout was interrupted: the check stays open in the log, as one that was killed does.
    if (signal.aborted) return null;
    throw new Error(`cannot run the check ${check.name} on tree ${tree}`, { cause });
  }
}

/** `compared` is the evidence in which fewer tests than on base count as an objection. */
function findingsOf(judged: readonly Judged[], compared: readonly EvidenceRow[]): readonly Finding[] {
  const worse = judged.flatMap((one) => worseThanBase(one));
  if (worse.length > 0) return worse;
  if (!judged.some(({ onTree }) => stateOf(onTree) === "green"))
    return judged.map((one) => finding("nothing-green", one, nothingRan(one)));
  const fewer = new Map(fewerTests(compared).map(({ check, why }) => [check, why]));
  return judged.flatMap((one) => {
    const why = fewer.get(one.check.name);
    return why === undefined ? [] : [finding("fewer-tests", one, why)];
  });
}

function worseThanBase(one: Judged): readonly Finding[] {
  const [before, now] = [stateOf(one.onBase), stateOf(one.onTree)];
  if (now === "ran nothing" && before !== now) return [finding("nothing-ran", one, nothingRan(one))];
  if (now === "green" || now === "ran nothing") return [];
  if (before === "green") return [finding("broke", one, null)];
  const why = before === "red" ? moreFailures(one.onBase.counts, one.onTree.counts) : null;
  return why === null ? [] : [finding("broke", one, why)];
}

function nothingRan({ onTree }: Judged): string | null {
  return stateOf(onTree) === "ran nothing" ? "its test runner reports that no test has run" : null;
}

function finding(kind: Finding["kind"], { check, onTree }: Judged, why: string | null): Finding {
  const { exitCode, timedOut, output } = onTree;
  const { name, run, minutes } = check;
  return { kind, check: name, command: run, exitCode, timedOut, minutes, why, output };
}

async function pass(asked: Asked, evidence: readonly EvidenceRow[]): Promise<Verdict> {
  const { round, tree } = asked;
  const definitions = definitionsDigest(asked.checks);
  await asked.append({ type: "gate.passed", round, tree, definitions });
  return { kind: "passed", passed: mint(tree, definitions, round), evidence };
}

async function fail(
  asked: Asked,
  findings: readonly Finding[],
  evidence: readonly EvidenceRow[],
): Promise<Verdict> {
  const { round, tree } = asked;
  const text = findingsText(findings, asked.quote);
  await asked.append({ type: "gate.failed", round, tree, findings: await asked.payload(text) });
  return { kind: "failed", findings, text, evidence };
}

function mint(tree: Tree, definitions: Digest, round: number): Passed {
  return { tree, definitions, round } as Passed;
}

async function settledOn(
  events: Iterable<SessionEvent>,
  on: "base" | "change",
  tree: Tree,
  load: Load,
): Promise<ReadonlyMap<string, Ran>> {
  const last = new Map<string, Extract<SessionEvent, { type: "check.settled" }>>();
  for (const event of events)
    if (event.type === "check.settled" && event.on === on && event.tree === tree)
      last.set(event.check, event);
  const found = new Map<string, Ran>();
  for (const [check, { exitCode, timedOut, ms, output }] of last)
    found.set(check, { exitCode, timedOut, ms, counts: countsIn(await load(output)) });
  return found;
}
