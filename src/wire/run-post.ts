import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type { JobLog } from "../adapters/actions/job-log.ts";
import type { Settings } from "../adapters/actions/settings.ts";
import type { Surroundings } from "../adapters/actions/surroundings.ts";
import { diskSessionFiles, removeSessionFiles } from "../adapters/disk/files.ts";
import { endProcess, lockSession, readLock } from "../adapters/disk/lock.ts";
import { sealedTrees } from "../adapters/git/sealed-trees.ts";
import { endSandbox } from "../adapters/sandbox/end.ts";
import { readRest, shipRest, type Untold } from "../app/ship-rest.ts";
import { tellRest } from "../app/tell-rest.ts";
import type { SessionFiles } from "../session/files.ts";
import { githubMeans, keyFor, runUrl } from "./action.ts";
import { systemClock } from "./clock.ts";
import { makeRoom } from "./make-room.ts";
import { version } from "./version.ts";

const postMsMax = 4 * 60_000;

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
  const { surroundings, log, home } = options;
  if (!existsSync(home)) return log.say("Nothing to store: the session is not on this machine any more.");
  await endLeftovers(home);
  await makeRoom(path.dirname(home));
  const locked = await lockSession(home);
  if (locked.kind === "busy")
    throw new Error(`process ${locked.owner.pid} still holds ${home} and could not be ended`);
  await using _lock = locked.lock;
  await using files = await diskSessionFiles(home, { durability: "process" });
  const { id, attempt } = surroundings.run;
  const whose = { told: options.ending === "told", claimant: { id, attempt } };
  const left = await readRest(files, whose);
  if (left.kind === "nothing") log.say(`Nothing to store: ${left.why}.`);
  else await shipAndTell(files, options, whose);
  await removeSessionFiles(home);
}

async function shipAndTell(
  files: SessionFiles,
  options: PostOptions,
  whose: { readonly told: boolean; readonly claimant: { readonly id: string; readonly attempt: number } },
): Promise<void> {
  const { settings, surroundings, log, home } = options;
  const { id, attempt, job } = surroundings.run;
  const signal = AbortSignal.timeout(postMsMax);
  const github = await githubMeans({ settings, surroundings, version, signal });
  const key = keyFor(settings, github.repository.id);
  const rest = await shipRest(files, {
    shipping: ({ manifest }) => ({
      shelf: github.shelf,
      key,
      run: { id, attempt, job },
      workflow: surroundings.workflow.path,
      clock: systemClock,
      nonce: () => randomBytes(12),
      pack: sealedTrees({
        dir: path.join(home, "git"),
        path: surroundings.path,
        baseSha: manifest.identity.baseSha,
      }).pack,
    }),
    ...whose,
    signal,
  });
  if (rest.kind === "nothing") {
    log.say(`Nothing to store: ${rest.why}.`);
  } else {
    const { host, leases, shelf } = github;
    const words = { triggerPhrase: settings.triggerPhrase, runUrl: runUrl(surroundings) };
    const { ending } = options;
    await tellRest(rest, {
      ...{ host, leases, shelf, key, ...words, ending, signal },
      ...{ say: log.say, warn: log.warn },
    });
  }
}

/** A `main` that still lives is ended first, then the sandboxes that it recorded. */
async function endLeftovers(home: string): Promise<void> {
  const held = await readLock(home);
  if (held === null) return;
  await endProcess(held.owner);
  for (const { pid, startTime } of held.sandboxes) await endSandbox({ pid, startedAt: startTime });
}
