import type { Clock } from "../../base/clock.ts";
import type { GitHubClient } from "./client.ts";

/** What every part of the GitHub adapter works with: one repository, through one client. */
export type Place = {
  readonly client: GitHubClient;
  readonly owner: string;
  readonly repo: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};
