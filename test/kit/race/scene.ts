// What a seed of the race plays in, and what each of its parts knows.
import type { MemoryGitHub } from "../../../src/adapters/memory/host.ts";
import type { MemoryShelves } from "../../../src/adapters/memory/shelf.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Sha } from "../../../src/base/hash.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import type { SealKey } from "../../../src/session/shipment.ts";
import type { MemoryRefs } from "./refs.ts";
import type { Random, Scheduler } from "./scheduler.ts";

/** The branch of the pull request that a command may be given on. */
export const topic = "topic";
export const repositoryId = 1296269;
export const thread = 7;
export const fixComment = 501;
export const session = sessionIdOf(`repo:${repositoryId}/comment:${fixComment}`);
/**
 * `leased`: runs live or die. `cut`: some are cut off until their jobs count as over, then go on. `frozen`: the same, but
 * between any two of their steps, and nothing that they asked is lost. `taken`: a person has a run take the session from
 * one that works. `unleased`: no lease can be written, so that one branch and one pull request are all that is promised.
 */
export type Mode = "leased" | "cut" | "frozen" | "taken" | "unleased";

export type Stage = {
  readonly seed: number;
  readonly random: Random;
  readonly mode: Mode;
  /** Whether the command is given on a pull request, whose branch then gets the commit. */
  readonly onPull: boolean;
  /** Whether answers may get lost besides what the plans say. */
  readonly lossy: boolean;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly key: SealKey;
  readonly github: MemoryGitHub;
  readonly refs: MemoryRefs;
  readonly shelves: MemoryShelves;
  readonly base: { readonly sha: Sha; readonly files: ReadonlyMap<string, string> };
  /** Calls that a shipment holds as settled. */
  readonly settled: Set<string>;
  readonly repeated: string[];
  /** Commits that the pull request's branch was moved to. */
  readonly pushed: string[];
  /** What a run made that had lost the session, and had not looked. */
  readonly unfenced: string[];
  /** What a run made that had lost the session after it looked, the last thing before. */
  readonly outrun: string[];
};
