import { randomBytes } from "node:crypto";
import path from "node:path";
import type { JobLog } from "../adapters/actions/job-log.ts";
import type { Settings } from "../adapters/actions/settings.ts";
import type { Surroundings } from "../adapters/actions/surroundings.ts";
import { diskSessionFiles, removeSessionFiles } from "../adapters/disk/files.ts";
import { endProcess, lockSession, readLock } from "../adapters/disk/lock.ts";
import { sealedTrees } from "../adapters/git/sealed-trees.ts";
import { endSandbox } from "../adapters/sandbox/end.ts";
import { finishComment, shipRest, type Untold } from "../app/ship-rest.ts";
import { githubMeans, keyFor, runUrl } from "./action.ts";
import { version } from "./version.ts";

const postMsMax = 4 * 60_000;

const cancelled: Untold = { outcome: "suspended", reason: "cancelled", detail: "The run was cancelled." };

export type PostOptions = {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  readonly log: JobLog;
  readonly home: string;
  /** Whether `main` reported its end by itself. */
  readonly ending: "told" | Untold | null;
};

/** Ends what `main` left running, ships what it left, finishes its comment, and removes the session from the machine. */
export async function runPost(options: PostOptions): Promise<void> {
  const { settings, surroundings, log, home } = options;
  await endLeftovers(home);
  const locked = await lockSession(home);
  if (locked.kind === "busy")
    throw new Error(`process ${locked.owner.pid} still holds ${home} and could not be ended`);
  await using _lock = locked.lock;
  await using files = await diskSessionFiles(home, { durability: "process" });
  const signal = AbortSignal.timeout(postMsMax);
  const github = await githubMeans({ settings, surroundings, version, signal });
  const key = keyFor(settings, github.repository.id);
  const { id, attempt, job } = surroundings.run;
  const rest = await shipRest(files, {
    shipping: ({ manifest }) => ({
      shelf: github.shelf,
      key,
      run: { id, attempt, job },
      workflow: surroundings.workflow.path,
      nonce: () => randomBytes(12),
      pack: sealedTrees({
        dir: path.join(home, "git"),
        path: surroundings.path,
        baseSha: manifest.identity.baseSha,
      }).pack,
    }),
    signal,
  });
  if (rest.kind === "nothing") {
    log.say(`Nothing to store: ${rest.why}.`);
  } else {
    const { session } = rest.log.manifest.identity;
    if (rest.sent.kind === "sent") log.say(`${session} is stored up to record ${rest.log.tail.seq}.`);
    if (rest.sent.kind === "failed")
      log.warn(`${session} cannot be resumed: it could not be stored (${rest.sent.why}).`);
    const { triggerPhrase } = settings;
    const { ending } = options;
    if (ending !== "told")
      await finishComment(rest, {
        host: github.host,
        key,
        triggerPhrase,
        runUrl: runUrl(surroundings),
        untold: ending ?? (rest.state.reason === "cancelled" ? cancelled : null),
      });
  }
  await removeSessionFiles(home);
}

/** A `main` that still lives is ended first, then the sandbox that it recorded. */
async function endLeftovers(home: string): Promise<void> {
  const held = await readLock(home);
  if (held === null) return;
  await endProcess(held.owner);
  if (held.sandbox !== null) await endSandbox({ pid: held.sandbox.pid, startedAt: held.sandbox.startTime });
}
