import type { Tree } from "../base/hash.ts";
import { changedDependencies, type DependencyFile } from "../gate/dependencies.ts";
import type { EvidenceRow } from "../gate/evidence.ts";
import { judge, passedBefore } from "../gate/gate.ts";
import { type Marked, protection } from "../gate/protected.ts";
import { setupInputs } from "../gate/setup-inputs.ts";
import type { Suspicion } from "../gate/suspicion.ts";
import { tamper, tamperText } from "../gate/tamper.ts";
import type { Finding, Passed } from "../gate/verdict.ts";
import { afterSetup } from "./after-setup.ts";
import { type Candidate, candidateOf, contentsOf } from "./candidate.ts";
import { type Held, holdBack } from "./hold-back.ts";
import { eventsOfGates, knownBefore, testsTreeOf } from "./known-results.ts";
import { quoteFor } from "./quote.ts";
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
      readonly cause: "checks" | "tampering" | Held["cause"];
      readonly evidence: readonly EvidenceRow[];
      /** Of checks. */
      readonly findings: readonly Finding[];
      /** Of everything else. */
      readonly paths: readonly string[];
    }
  /** A person has to look: these decide what setup installs. */
  | { readonly kind: "needs-setup"; readonly paths: readonly string[] }
  | { readonly kind: "cancelled" };

/** Asks whether the work may leave: every declared check on exactly the tree that would be pushed. */
export async function judgeWork(
  work: Work,
  { signal }: { readonly signal: AbortSignal },
): Promise<Judgement> {
  const { workspace, config, journal, story, means, ground } = work;
  const candidate = await candidateOf(workspace, journal.state);
  const { tree, changes } = candidate;
  if (changes.length === 0) return { kind: "no-change" };
  const { checks } = config;
  const { refused, flagged } = protection(changes, {
    patterns: config.protected,
    config: means.orders.configPath,
  });
  const contents = contentsOf(workspace, changes);
  const held = await holdBack(work, { candidate, contents, refused });
  if (held !== null) return refuse(work, { tree, ...held });
  const paths = await setupInputs(changes, contents);
  if (paths.length > 0 && config.setup.length > 0) return { kind: "needs-setup", paths };
  const suspicions = await tamper(changes, { checks, contents });
  if (config.tamper === "refuse" && suspicions.length > 0)
    return refuse(work, {
      ...{ tree, cause: "tampering", paths: suspicions.map(({ path }) => path), patch: "" },
      text: tamperText(suspicions, quoteFor(means)),
    });
  const baseTree = workspace.baseTree;
  await work.baseline.settle(signal);
  const events = await eventsOfGates(journal);
  const testsTree = await testsTreeOf(workspace, { checks, tree });
  const before = await passedBefore(events, { checks, baseTree, tree, testsTree }, journal.load);
  const verdict =
    before ??
    (await judge({
      checks,
      port: afterSetup(
        means.rooms.checks(ground.dirs, workspace, { names: config.env }),
        workspace,
        journal.state,
      ),
      baseTree,
      tree,
      round: journal.state.gate.rounds + 1,
      testsTree,
      known: await knownBefore(events, { checks, baseTree, testsTree }, journal.load),
      ...{ tamper: config.tamper, alreadyRed: config.alreadyRed, unproved: config.unproved },
      append: story.append,
      payload: journal.store,
      quote: quoteFor(means),
      signal,
    }));
  switch (verdict.kind) {
    case "passed":
      return {
        ...{ ...verdict, candidate, flagged: [...flagged, ...suspicions, ...paths.map(dependency)] },
        dependencies: await changedDependencies(paths, contents),
      };
    case "failed":
      return {
        ...{ kind: "failed", cause: "checks", paths: [] },
        ...{ evidence: verdict.evidence, findings: verdict.findings },
      };
    case "cancelled":
      return verdict;
  }
}

type RefusedChange = Omit<Held, "cause"> & {
  readonly tree: Tree;
  readonly cause: Held["cause"] | "tampering";
};

/** It goes back to the model as a round of the gate, before anything is run. */
async function refuse(
  { journal, story }: Work,
  { tree, cause, paths, text, patch }: RefusedChange,
): Promise<Judgement> {
  const round = journal.state.gate.rounds + 1;
  const findings = await journal.store(text);
  const kept = patch === "" ? {} : { patch: await journal.store(patch, { apart: true }) };
  await story.append({ type: "gate.failed", round, tree, findings, ...kept });
  return { kind: "failed", cause, evidence: [], findings: [], paths: [...new Set(paths)] };
}

/** Without setup nothing is installed from it, but a person who merges it installs what it says. */
function dependency(path: string): Suspicion {
  return { path, kind: "dependencies", why: "it decides what is installed" };
}
