import type { Tree } from "../base/hash.ts";
import type { Contents } from "../gate/contents.ts";
import type { Change, Workspace } from "../workspace/workspace.ts";

/** The change as it would leave: what the session made, on the untouched base. */
export type Candidate = {
  /** Exactly what would be pushed: the base with the session's difference to the tree that setup left. */
  readonly tree: Tree;
  /** Empty where that is the base, whatever was done and undone on the way, and whatever the model says of it. */
  readonly changes: readonly Change[];
};

/** What setup leaves behind in files that git does not ignore is not part of the change, so it is taken out. */
export async function candidateOf(
  { baseTree, objects, diff }: Workspace,
  { tree, setupTree }: { readonly tree: Tree | null; readonly setupTree: Tree | null },
): Promise<Candidate> {
  if (tree === null || setupTree === null)
    throw new Error("the gate was asked before the workspace was sealed");
  const own = await objects.transplant({ from: setupTree, to: tree, onto: baseTree });
  return { tree: own, changes: await diff(baseTree, own) };
}

export function contentsOf({ baseTree, objects }: Workspace, changes: readonly Change[]): Contents {
  return {
    before: async (path) => objects.fileAt(baseTree, path),
    after: async (path) => {
      const blob = changes.find((change) => change.path === path)?.blob ?? null;
      return blob === null ? null : objects.blob(blob);
    },
  };
}
