import type { Tree } from "../base/hash.ts";
import type { Check } from "../gate/checks.ts";
import { type Known, knownOn } from "../gate/known.ts";
import { isOfTests } from "../gate/proof.ts";
import type { SessionEvent } from "../session/event.ts";
import { eventsOf } from "../session/journal.ts";
import type { OpenJournal } from "../session/open-journal.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The log, where anything of a gate can stand in it. */
export async function eventsOfGates(
  journal: Pick<OpenJournal, "state" | "recordsFrom">,
): Promise<readonly SessionEvent[]> {
  const { verified, base } = journal.state.gate;
  if (verified === null && Object.keys(base).length === 0) return [];
  return eventsOf(journal);
}

/** The base with the tests of the change alone: base itself where it brings none, null where no check asks for it. */
export async function testsTreeOf(
  { baseTree, objects }: Pick<Workspace, "baseTree" | "objects">,
  { checks, tree }: { readonly checks: readonly Check[]; readonly tree: Tree },
): Promise<Tree | null> {
  if (!checks.some(({ proof }) => proof)) return null;
  return objects.transplant({ from: baseTree, to: tree, onto: baseTree, only: isOfTests });
}

/** What earlier rounds and runs found on trees that stay the same while the change grows. */
export async function knownBefore(
  events: readonly SessionEvent[],
  about: { readonly checks: readonly Check[]; readonly baseTree: Tree; readonly testsTree: Tree | null },
  load: OpenJournal["load"],
): Promise<{ readonly base: Known; readonly tests: Known }> {
  const { checks, baseTree, testsTree } = about;
  const base = await knownOn(events, { on: "base", tree: baseTree, checks }, load);
  if (testsTree === null) return { base, tests: new Map() };
  return { base, tests: await knownOn(events, { on: "proof", tree: testsTree, checks }, load) };
}
