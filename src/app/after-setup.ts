import type { Checks } from "../gate/checks.ts";
import type { Config } from "../gate/config.ts";
import type { State } from "../session/state.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Ground, Means } from "./means.ts";

/** Clean checkouts of this session, on what setup made of the base. */
export function sessionChecks(
  {
    means,
    ground,
    workspace,
    config,
  }: {
    readonly means: Means;
    readonly ground: Ground;
    readonly workspace: Workspace;
    readonly config: Config;
  },
  state: Pick<State, "setupTree">,
): Checks {
  return afterSetup(means.rooms.checks(ground.dirs, workspace, { names: config.env }), workspace, state);
}

/**
 * A check finds what setup made on the base, or on what else it ran, in files that git does not ignore too: it may need
 * them, as a build does.
 */
export function afterSetup(
  checks: Checks,
  { baseTree, objects }: Pick<Workspace, "baseTree" | "objects">,
  { setupTree }: Pick<State, "setupTree">,
): Checks {
  if (setupTree === null || setupTree === baseTree) return checks;
  return {
    checkout: async (tree, options) =>
      checks.checkout(await objects.transplant({ from: baseTree, to: tree, onto: setupTree }), options),
  };
}
