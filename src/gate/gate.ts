import type { Digest, Tree } from "../base/hash.ts";
import type { CheckedOn, Payload, SessionEvent } from "../session/event.ts";
import type { Check, Checks } from "./checks.ts";
import { moreFailures } from "./counts.ts";
import { definitionsDigest } from "./definitions.ts";
import { type EvidenceRow, evidenceRow, fewerTests, heldAgainst } from "./evidence.ts";
import { newFailures } from "./failed-tests.ts";
import { findingsText, type Quote } from "./findings-text.ts";
import { type Known, knownOn } from "./known.ts";
import type { AlreadyRedPolicy, TamperPolicy, UnprovedPolicy } from "./policy.ts";
import { couldProve, type Proof, proofOf } from "./proof.ts";
import { stateOf, type Told } from "./ran.ts";
import { type Running, runCheck } from "./run-check.ts";
import type { Finding, Passed, Verdict } from "./verdict.ts";

type Asked = Running & {
  /** At least one; names are unique. */
  readonly checks: readonly Check[];
  /** Sealed right after setup. */
  readonly baseTree: Tree;
  /** The exact tree that would be delivered. */
  readonly tree: Tree;
  readonly round: number;
  /** Base with the change's tests alone: where they change nothing base itself, null where no check asks for it. */
  readonly testsTree: Tree | null;
  /**
   * Where setup ran on what the change installs: by which approval, and checkouts on what it made, for the change alone.
   * Else the base's own setup is the change's too.
   */
  readonly changed?: { readonly setup: string; readonly port: Checks };
  /** What earlier rounds found, so that neither of those is judged again: `knownOn`. */
  readonly known: { readonly base: Known; readonly tests: Known };
  /** What follows when a green check reports fewer tests than on base: it is shown, or not passed. */
  readonly tamper: TamperPolicy;
  /** What follows when a check is red that was red on base. */
  readonly alreadyRed: AlreadyRedPolicy;
  /** What follows when the tests of the change do not prove the fix. */
  readonly unproved: UnprovedPolicy;
  readonly quote: Quote;
};

type Judged = { readonly check: Check; readonly onBase: Told; readonly onTree: Told };

/** Reads a payload of the log. */
type Load = (payload: Payload) => Promise<string>;

/**
 * Runs every check, always, each in a checkout of its own so that none can prepare another's: on base unless that is
 * known, on the tree, and, once all that has passed, on the change's tests alone where it has to prove the fix. A check
 * that was red on base is held against the change only where it fails for more or other reasons, or the policy says so;
 * but where nothing comes out green, nothing is proved, and the verdict is `failed`. When cancelled, the check under
 * way stays open in the log and is run again by the next run. Throws when no checkout can be made.
 */
export async function judge(asked: Asked): Promise<Verdict> {
  if (asked.checks.length === 0) throw new Error("cannot judge a change without checks");
  const judged: Judged[] = [];
  for (const check of asked.checks) {
    const onBase = asked.known.base.get(check.name) ?? (await runOne(asked, check, "base"));
    const onTree = onBase === null ? null : await runOne(asked, check, "change");
    if (onBase === null || onTree === null) return { kind: "cancelled" };
    judged.push({ check, onBase, onTree });
  }
  const evidence = judged.map(({ check, onBase, onTree }) => evidenceRow(check, onBase, onTree));
  const findings = findingsOf(judged, evidence, asked);
  if (findings.length > 0) return fail(asked, findings, evidence);
  const proved = await prove(asked, judged);
  if (proved === null) return { kind: "cancelled" };
  const shown = evidence.map((row) => withProof(row, proved.get(row.check)?.proof));
  const unproved = asked.unproved === "refuse" ? judged.flatMap((one) => unprovedIn(one, proved)) : [];
  return unproved.length === 0 ? pass(asked, shown) : fail(asked, unproved, shown);
}

/**
 * The proof that the log holds for this tree, so that a resumed run does not judge it again; null when the last
 * `gate.passed` is about another tree or other definitions, or when the log does not hold its evidence whole.
 */
export async function passedBefore(
  events: readonly SessionEvent[],
  about: Pick<Asked, "checks" | "baseTree" | "tree" | "testsTree"> & { readonly setup?: string | null },
  load: Load,
): Promise<Extract<Verdict, { kind: "passed" }> | null> {
  const { checks, baseTree, tree, testsTree, setup = null } = about;
  const last = events.findLast((event) => event.type === "gate.passed" || event.type === "gate.failed");
  if (last?.type !== "gate.passed") return null;
  if (last.tree !== tree || last.definitions !== definitionsDigest(checks, setup)) return null;
  const base = await knownOn(events, { on: "base", tree: baseTree, checks }, load);
  const change = await knownOn(events, { on: "change", tree, checks, setup }, load);
  if (checks.some(({ name }) => !base.has(name) || !change.has(name))) return null;
  const tests =
    testsTree === null ? null : await knownOn(events, { on: "proof", tree: testsTree, checks }, load);
  const evidence = checks.map((check) => {
    const [onBase, onTree] = [base.get(check.name), change.get(check.name)];
    const row = evidenceRow(check, onBase ?? null, onTree ?? null);
    if (!check.proof || tests === null || onBase === undefined || onTree === undefined) return row;
    return withProof(row, proofOf({ onBase, onTree, onTests: tests.get(check.name) ?? null }));
  });
  return { kind: "passed", passed: mint(tree, last.definitions, last.round), evidence };
}

/** Null when cancelled. */
async function runOne(asked: Asked, check: Check, on: CheckedOn): Promise<Told | null> {
  const tree = { base: asked.baseTree, change: asked.tree, proof: asked.testsTree }[on];
  if (tree === null) throw new Error(`the check ${check.name} proves nothing and was asked for a proof`);
  const { round, changed } = asked;
  if (on !== "change" || changed === undefined) return runCheck(check, { round, on, tree }, asked);
  const { setup, port } = changed;
  return runCheck(check, { round, on, tree, setup }, { ...asked, port });
}

type Proved = ReadonlyMap<string, { readonly proof: Proof; readonly onTests: Told | null }>;

/** Of each check that has to prove the fix; null when cancelled. */
async function prove(asked: Asked, judged: readonly Judged[]): Promise<Proved | null> {
  const { testsTree, baseTree, known } = asked;
  const proved = new Map<string, { readonly proof: Proof; readonly onTests: Told | null }>();
  for (const { check, onBase, onTree } of judged) {
    if (!check.proof || testsTree === null) continue;
    let onTests: Told | null = null;
    if (testsTree !== baseTree && couldProve(onBase, onTree)) {
      onTests = known.tests.get(check.name) ?? (await runOne(asked, check, "proof"));
      if (onTests === null) return null;
    }
    proved.set(check.name, { proof: proofOf({ onBase, onTests, onTree }), onTests });
  }
  return proved;
}

function withProof(row: EvidenceRow, proof: Proof | undefined): EvidenceRow {
  return proof === undefined ? row : { ...row, proof };
}

function unprovedIn(one: Judged, proved: Proved): readonly Finding[] {
  const { proof, onTests } = proved.get(one.check.name) ?? {};
  if (proof === undefined || proof.kind === "proved") return [];
  return [finding("unproved", { ...one, onTree: onTests ?? { ...one.onTree, output: "" } }, proof.why)];
}

function findingsOf(
  judged: readonly Judged[],
  evidence: readonly EvidenceRow[],
  { tamper, alreadyRed }: Asked,
): readonly Finding[] {
  const worse = judged.flatMap((one) => worseThanBase(one, alreadyRed));
  if (worse.length > 0) return worse;
  if (!judged.some(({ onTree }) => stateOf(onTree) === "green"))
    return judged.map((one) => finding("nothing-green", one, nothingRan(one)));
  const compared = tamper === "refuse" ? evidence : [];
  const fewer = new Map(fewerTests(compared).map(({ check, why }) => [check, why]));
  return judged.flatMap((one) => {
    const why = fewer.get(one.check.name);
    return why === undefined ? [] : [finding("fewer-tests", one, why)];
  });
}

function worseThanBase(one: Judged, alreadyRed: AlreadyRedPolicy): readonly Finding[] {
  const [before, now] = [stateOf(one.onBase), stateOf(one.onTree)];
  if (now === "ran nothing" && before !== now) return [finding("nothing-ran", one, nothingRan(one))];
  if (now === "green" || now === "ran nothing") return [];
  if (before === "green") return [finding("broke", one, null)];
  const fresh = before === "red" ? newFailures(one.onBase, one.onTree) : [];
  if (fresh.length > 0) {
    const tests = fresh.length === 1 ? "1 test fails" : `${fresh.length} tests fail`;
    return [{ ...finding("broke", one, `${tests} that did not without the change`), newFailures: fresh }];
  }
  const why = before === "red" ? moreFailures(one.onBase.counts, one.onTree.counts) : null;
  if (why !== null) return [finding("broke", one, why)];
  if (alreadyRed === "show") return [];
  return [
    finding(
      "already-red",
      one,
      before === "red" ? "it was red without the change too" : "it did not pass without the change either",
    ),
  ];
}

function nothingRan({ onTree }: Judged): string | null {
  return stateOf(onTree) === "ran nothing" ? "its test runner reports that no test has run" : null;
}

function finding(kind: Finding["kind"], { check, onTree }: Judged, why: string | null): Finding {
  const { exitCode, timedOut, output } = onTree;
  const { name, run, minutes } = check;
  return { kind, check: name, command: run, exitCode, timedOut, minutes, why, newFailures: [], output };
}

async function pass(asked: Asked, evidence: readonly EvidenceRow[]): Promise<Verdict> {
  const { round, tree } = asked;
  const definitions = definitionsDigest(asked.checks, asked.changed?.setup);
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
  return { kind: "failed", findings, text, evidence: heldAgainst(evidence, findings) };
}

function mint(tree: Tree, definitions: Digest, round: number): Passed {
  return { tree, definitions, round } as Passed;
}
