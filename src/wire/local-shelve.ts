import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { diskSessionFiles } from "../adapters/disk/files.ts";
import { lockSession, readLock } from "../adapters/disk/lock.ts";
import { diskShelf } from "../adapters/disk/shelf.ts";
import { sealedTrees } from "../adapters/git/sealed-trees.ts";
import { endSandbox } from "../adapters/sandbox/end.ts";
import { shipRest } from "../app/ship-rest.ts";
import { stateOf } from "../session/checkpoint.ts";
import type { SessionEvent } from "../session/event.ts";
import type { SessionFiles } from "../session/files.ts";
import type { SessionId } from "../session/id.ts";
import { openJournal } from "../session/open-journal.ts";
import { type VerifiedLog, verifyLog } from "../session/verify.ts";
import { systemClock } from "./clock.ts";
import { localKey } from "./local.ts";
import type { LocalPlaces } from "./local-places.ts";
import type { LocalRun } from "./local-run-name.ts";
import { watched } from "./watched-files.ts";

export type Shelved =
  /** `run` put the whole session on the shelf. */
  | { readonly kind: "shelved"; readonly run: string }
  | { readonly kind: "refused"; readonly code: string; readonly why: string };

/**
 * Puts a session, as its run left it on this machine, on the shelf, from where every resume starts. What an earlier
 * run left running is ended first. Of the files only a torn last record is changed: the rest has to be whole before
 * it goes anywhere, and a kill in between leaves the same torn record, or what comes after the cut.
 */
export async function shelveSession(
  session: SessionId,
  options: {
    readonly places: LocalPlaces;
    readonly run: LocalRun;
    readonly path: string;
    readonly watch: (event: SessionEvent) => void;
    readonly signal: AbortSignal;
  },
): Promise<Shelved> {
  const { places, run, watch, signal } = options;
  const home = places.home(session);
  const before = await readLock(home);
  const locked = await lockSession(home);
  if (locked.kind === "busy")
    return refused("busy", `process ${locked.owner.pid} works on ${session} on this machine`);
  await using _lock = locked.lock;
  for (const { pid, startTime } of before?.sandboxes ?? []) await endSandbox({ pid, startedAt: startTime });
  const rewriting = await textOf(places.rewriting(session));
  if (rewriting !== null) return { kind: "shelved", run: rewriting };
  await using files = await diskSessionFiles(home, { durability: "disk" });
  const checked = verifyLog(await files.read(), { witnessed: [] });
  if (checked.kind === "damage") return refused(checked.code, `${checked.why}; verify says more`);
  const { log } = checked;
  if (log.tail.seq === 0) return refused("not-found", `${nothing} of ${session}`);
  const state = await stateOf(log, files);
  if (state.status === "ended")
    return refused("ended", `The session ended (${state.reason}); run begins a new one.`);
  if (log.tornBytes > 0) await repair(log, watched(files, watch));
  const { repository, baseSha } = log.manifest.identity;
  const rest = await shipRest(files, {
    shipping: () => ({
      shelf: diskShelf({ dir: places.shelf, run: run.id }),
      key: localKey(repository.id),
      run: { id: run.id, attempt: 1, job: "local" },
      workflow: "local",
      clock: systemClock,
      nonce: () => randomBytes(12),
      pack: sealedTrees({ dir: path.join(home, "git"), path: options.path, baseSha }).pack,
    }),
    signal,
  });
  if (rest.kind === "nothing") return refused("not-found", rest.why);
  if (rest.sent.kind === "failed") return refused("storage", rest.sent.why);
  return { kind: "shelved", run: run.id };
}

const nothing = "Nothing was done, so begin again with run: there is no whole record";

/** Opening cuts, keeps aside what was cut, and records it. The generation stays: nothing is claimed yet. */
async function repair(log: VerifiedLog, files: SessionFiles): Promise<void> {
  const { gen } = log.manifest;
  // What is appended holds no text that anybody wrote.
  const mask = (text: string): string => text;
  await openJournal(log, { files, clock: systemClock, mask, durability: "disk", gen });
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new Error(`cannot read ${file}`, { cause: error });
  }
}

function refused(code: string, why: string): Shelved {
  return { kind: "refused", code, why };
}
