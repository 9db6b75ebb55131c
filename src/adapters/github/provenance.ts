/** What a shipment's run has to match. */
export type Home = {
  readonly repositoryId: number;
  readonly defaultBranch: string;
  /** The workflow files of this repository that run us, such as `.github/workflows/agent.yml`. */
  readonly workflowPaths: readonly string[];
};

/** Fields of a workflow run, as GitHub names them. */
export type RunOrigin = {
  readonly path: string;
  readonly event: string;
  readonly head_branch: string | null;
  readonly repository: { readonly id: number };
  readonly head_repository: { readonly id: number } | null;
};

/** Fields of an artifact's `workflow_run`, as GitHub names them. */
export type ArtifactOrigin = {
  readonly repository_id?: number;
  readonly head_repository_id?: number;
  readonly head_branch?: string;
};

// What may start a session.
const events = ["issue_comment", "workflow_dispatch", "schedule"];

/**
 * Null for an artifact that our own workflow stored on the default branch of our own repository; else why not (R14,
 * T51, T52). The name proves nothing: a fork's run or another workflow can use any.
 */
export function foreignBecause(
  home: Home,
  run: RunOrigin | null,
  artifact: ArtifactOrigin | null,
): string | null {
  if (run === null || artifact === null) return "its run is not known";
  const { repositoryId, defaultBranch, workflowPaths } = home;
  if (run.repository.id !== repositoryId || artifact.repository_id !== repositoryId)
    return "it belongs to another repository";
  if (run.head_repository?.id !== repositoryId || artifact.head_repository_id !== repositoryId)
    return "its run's head is in another repository (a fork)";
  if (run.head_branch !== defaultBranch || artifact.head_branch !== defaultBranch)
    return `its run was not on the default branch ${defaultBranch}`;
  if (!events.includes(run.event)) return `its run was started by "${run.event}"`;
  // GitHub adds `@<ref>` to the path of some runs.
  const path = run.path.split("@")[0] ?? "";
  if (!workflowPaths.includes(path)) return `its run is of another workflow (${path})`;
  return null;
}
