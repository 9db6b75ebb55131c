import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { processStat } from "../adapters/sandbox/descendants.ts";
import { removeTree } from "../adapters/sandbox/end.ts";
import type { RunRef } from "../session/event.ts";
import type { LocalPlaces } from "./local-places.ts";

/** A run of the command line. Its id names the process by number and time of start, so that anybody can ask for it. */
export type LocalRun = { readonly id: string };

export function newRun(): LocalRun {
  return {
    id: `${process.pid}.${processStat(process.pid)?.startedAt ?? ""}.${randomBytes(4).toString("hex")}`,
  };
}

export function isRunAlive({ id }: Pick<RunRef, "id">): boolean {
  const [, pid, startedAt] = /^(\d+)\.(\d*)\.[0-9a-f]+$/.exec(id) ?? [];
  const stat = pid === undefined ? null : processStat(Number(pid));
  return stat !== null && stat.startedAt === startedAt && !stat.isDead;
}

/** Removes the work directories of runs that are gone, and of `own`, which has ended. What cannot be removed is said. */
export async function removeRuns(
  { runs }: LocalPlaces,
  { own, say }: { readonly own: LocalRun; readonly say: (text: string) => void },
): Promise<void> {
  const names = await readdir(runs).catch(() => []);
  for (const id of names) {
    if (id !== own.id && isRunAlive({ id })) continue;
    await removeTree(path.join(runs, id)).catch((error: unknown) => say(String(error)));
  }
}
