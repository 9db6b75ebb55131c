import type { Tree } from "../base/hash.ts";
import type { WaitingCall } from "../delivery/waiting.ts";
import { changedDependencies, type DependencyFile } from "../gate/dependencies/dependencies.ts";
import { setupInputs } from "../gate/dependencies/setup-inputs.ts";
import type { EvidenceRow } from "../gate/evidence.ts";
import { judge, passedBefore } from "../gate/gate.ts";
import { type Marked, protection } from "../gate/protected.ts";
import { maskedOver } from "../gate/secrets/masked-over.ts";
import type { Suspicion } from "../gate/suspicion.ts";
import { tamper, tamperText } from "../gate/tamper/tamper.ts";
import type { Finding, Passed, Verdict } from "../gate/verdict.ts";
import { sessionChecks } from "./after-setup.ts";
import { type Candidate, candidateOf, contentsOf } from "./candidate.ts";
import type { Made } from "./changed-setup.ts";
import { type Held, holdBack } from "./hold-back.ts";
import { eventsOfGates, knownBefore, testsTreeOf } from "./known-results.ts";
import { quoteFor } from "./quote.ts";
import { askForSetup, type SetupWord } from "./setup-approval.ts";
import type { Work } from "./work.ts";

export type Judgement =
  | {
      readonly kind: "passed";
      readonly passed: Passed;
      readonly candidate: Candidate;
      readonly evidence: readonly EvidenceRow[];
      readonly flagged: readonly Marked[];
      readonly dependencies: readonly DependencyFile[];
    }
  | { readonly kind: "no-change" }
  /** The findings are in the log, and so in what the model is told next. */
  | {
      readonly kind: "failed";
      readonly cause: "checks" | "tampering" | "setup" | "setup-denied" | Held["cause"];
      readonly evidence: readonly EvidenceRow[];
      /** Of checks. */
      readonly findings: readonly Finding[];
      /** Of everything else. */
      readonly paths: readonly string[];
      /** What was found at these, where it is tampering. */
      readonly suspicions: readonly Suspicion[];
    }
  /** A person has to look: setup would run on what the change brings. */
  | { readonly kind: "needs-approval"; readonly call: WaitingCall }
  | { readonly kind: "cancelled" };

/** Asks whether the work may leave: every declared check on exactly the tree that would be pushed. */
export async function judgeWork(
  work: Work,
  { signal }: { readonly signal: AbortSignal },
): Promise<Judgement> {
  const { workspace, config, journal, means } = work;
  const candidate = await candidateOf(workspace, journal.state);
  const { tree, changes } = candidate;
  if (changes.length === 0) return { kind: "no-change" };
  const { refused, flagged } = protection(changes, {
    patterns: config.protected,
    config: means.orders.configPath,
  });
  const contents = contentsOf(workspace, changes);
  const held = await holdBack(work, { candidate, contents, refused });
  if (held !== null) return refuse(work, tree, held);
  const suspicions = await tamper(changes, { checks: config.checks, contents });
  if (config.tamper === "refuse" && suspicions.length > 0) {
    const text = tamperText(suspicions, quoteFor(means));
    const found = suspicions.map(({ path }) => path);
    return refuse(work, tree, { cause: "tampering", paths: found, suspicions, text });
  }
  const paths = await setupInputs(changes, contents);
  const setup = await askForSetup(work, candidate, { paths, contents });
  if (setup?.kind === "waits") return { kind: "needs-approval", call: setup.call };
  if (setup?.kind === "denied")
    return refuse(work, tree, { cause: "setup-denied", paths, text: deniedText(setup) });
  const verdict = await verdictOn(work, { tree, setup, signal });
  switch (verdict.kind) {
    case "passed":
      return {
        ...verdict,
        candidate,
        flagged: [
          ...flagged,
          ...suspicions,
          ...paths.map((path) => dependency(path, setup)),
          ...(await maskedOver(changes, { contents, mask: means.mask })),
        ],
        dependencies: await changedDependencies(paths, contents),
      };
    case "failed": {
      const { evidence, findings } = verdict;
      return { kind: "failed", cause: "checks", evidence, findings, paths: [], suspicions: [] };
    }
    case "setup-failed":
      return refuse(work, tree, { cause: "setup", paths, text: verdict.text });
    case "cancelled":
      return verdict;
  }
}

type Allowed = Extract<SetupWord, { kind: "granted" }>;

/** What the log knows of this very tree, else what the checks find on it, after the setup that belongs to the change. */
async function verdictOn(
  work: Work,
  about: { readonly tree: Tree; readonly setup: Allowed | null; readonly signal: AbortSignal },
): Promise<Verdict | { readonly kind: "setup-failed"; readonly text: string }> {
  const { workspace, config, journal, story, means } = work;
  const { tree, setup, signal } = about;
  const { checks, tamper: onTampering, alreadyRed, unproved } = config;
  const { baseTree } = workspace;
  const id = setup?.inputs.id ?? null;
  await work.baseline.settle(signal);
  const events = await eventsOfGates(journal);
  const testsTree = await testsTreeOf(workspace, { checks, tree });
  const before = await passedBefore(events, { checks, baseTree, tree, testsTree, setup: id }, journal.load);
  if (before !== null) return before;
  const made = setup === null ? null : await setUp(work, setup, signal);
  if (made?.kind === "failed") return { kind: "setup-failed", text: made.text };
  if (made?.kind === "cancelled") return made;
  return judge({
    checks,
    port: sessionChecks(work, journal.state),
    ...(made === null || id === null ? {} : { changed: { setup: id, port: made.port } }),
    baseTree,
    tree,
    round: journal.state.gate.rounds + 1,
    testsTree,
    known: await knownBefore(events, { checks, baseTree, testsTree }, journal.load),
    tamper: onTampering,
    alreadyRed,
    unproved,
    append: story.append,
    payload: journal.store,
    quote: quoteFor(means),
    signal,
  });
}

async function setUp({ board, changedSetup }: Work, allowed: Allowed, signal: AbortSignal): Promise<Made> {
  board.say("running setup on what the change installs");
  const made = await changedSetup.make(allowed, { signal });
  board.say("running the checks");
  return made;
}

type Refused = Omit<Held, "cause"> & {
  readonly cause: Exclude<Extract<Judgement, { kind: "failed" }>["cause"], "checks">;
  readonly suspicions?: readonly Suspicion[];
};

/** It goes back to the model as a round of the gate in which no check is run. */
async function refuse(
  { journal, story }: Work,
  tree: Tree,
  { cause, paths, suspicions = [], text, patch }: Refused,
): Promise<Judgement> {
  const round = journal.state.gate.rounds + 1;
  const findings = await journal.store(text);
  const kept = patch === undefined ? {} : { patch: await journal.store(patch, { apart: true }) };
  await story.append({ type: "gate.failed", round, tree, findings, ...kept });
  return { kind: "failed", cause, evidence: [], findings: [], paths: [...new Set(paths)], suspicions };
}

/** Where nothing was installed from it here, a person who merges it still installs what it says. */
function dependency(path: string, setup: Allowed | null): Suspicion {
  const ran = setup === null ? "" : `; setup ran on it here, as ${setup.by} allowed`;
  return { path, kind: "dependencies", why: `it decides what is installed${ran}` };
}

function deniedText({ by, inputs }: Extract<SetupWord, { kind: "denied" }>): string {
  const paths = inputs.paths.map((path) => `- ${path}`).join("\n");
  return `${by} did not allow setup to run on what you changed of these files. Undo that, and do the work without it; as they are they come back again:\n${paths}`;
}
