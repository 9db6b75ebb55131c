// What a seed of the race plays in, and what each of its parts knows.
import type { MemoryGitHub } from "../../../src/adapters/memory/host.ts";
import type { MemoryLeases } from "../../../src/adapters/memory/leases.ts";
import type { MemoryShelves } from "../../../src/adapters/memory/shelf.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Sha } from "../../../src/base/hash.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import type { SealKey } from "../../../src/session/shipment.ts";
import type { Random, Scheduler } from "./scheduler.ts";

export const repositoryId = 1296269;
export const thread = 7;
export const fixComment = 501;
export const session = sessionIdOf(`repo:${repositoryId}/comment:${fixComment}`);
/**
 * `leased`: runs live or die. `cut`: some are cut off until their jobs count as over, then go on. `unleased`: no lease
 * can be written, so that one branch and one pull request are all that is promised.
 */
export type Mode = "leased" | "cut" | "unleased";

export type Stage = {
  readonly seed: number;
  readonly random: Random;
  readonly mode: Mode;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly key: SealKey;
  readonly github: MemoryGitHub;
  readonly leases: MemoryLeases;
  readonly shelves: MemoryShelves;
  readonly base: { readonly sha: Sha; readonly files: ReadonlyMap<string, string> };
  /** Calls that a shipment holds as settled. */
  readonly settled: Set<string>;
  readonly repeated: string[];
  readonly unfenced: string[];
};
