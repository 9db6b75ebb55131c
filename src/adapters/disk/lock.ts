import { randomUUID } from "node:crypto";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promiseQueue } from "../../base/queue.ts";

/** A process, told apart from a later one with the same number by when it started. */
export type ProcessRef = { readonly pid: number; readonly startTime: string };

export type LockState = { readonly owner: ProcessRef; readonly sandboxes: readonly ProcessRef[] };

export type Lock = AsyncDisposable & {
  /** Names the outermost process of a sandbox, until what it gives is closed. */
  readonly name: (sandbox: ProcessRef) => Promise<AsyncDisposable>;
};

export type Locked =
  | { readonly kind: "locked"; readonly lock: Lock }
  | { readonly kind: "busy"; readonly owner: ProcessRef };

/** `lock` in the session's directory, held while the run lives; names the outermost process of each sandbox that lives. */
export async function lockSession(dir: string): Promise<Locked> {
  const file = path.join(dir, "lock");
  const owner = await processRef(process.pid);
  if (owner === null) throw new Error(`cannot read the start time of process ${process.pid}`);
  const holder = await take(file, owner);
  return holder === null ? { kind: "locked", lock: lockAt(file, owner) } : { kind: "busy", owner: holder };
}

/** Null when `file` now names `owner`, else who holds it, or is about to. */
async function take(file: string, owner: ProcessRef): Promise<ProcessRef | null> {
  const temp = await writeBeside(file, { owner, sandboxes: [] });
  try {
    for (let tries = 0; tries < 5; tries += 1) {
      if (await linked(temp, file)) return null;
      const held = await stateIn(file);
      if (held === "none") continue;
      if (held !== null && (await isAlive(held.owner))) return held.owner;
      const taker = await replaceDead(file, { held, owner, temp });
      if (taker !== "again") return taker;
    }
  } finally {
    await unlink(temp).catch(() => undefined);
  }
  throw new Error(`cannot lock ${file}: others keep taking it`);
}

/**
 * Puts `temp` in the place of a dead process's lock. Several may try that at once, and whoever is late must not take
 * the winner's lock away: so the dead process has a successor, which is one process by a lock of its own.
 */
async function replaceDead(
  file: string,
  {
    held,
    owner,
    temp,
  }: { readonly held: LockState | null; readonly owner: ProcessRef; readonly temp: string },
): Promise<ProcessRef | null | "again"> {
  const guard = `${file}.after-${held === null ? "nobody" : `${held.owner.pid}-${held.owner.startTime}`}`;
  const taker = await take(guard, owner);
  if (taker !== null) return taker;
  try {
    const now = await stateIn(file);
    if (now === "none" || (now !== null && (await isAlive(now.owner)))) return "again";
    await rename(temp, file);
    return null;
  } finally {
    await unlink(guard);
  }
}

function lockAt(file: string, owner: ProcessRef): Lock {
  const sandboxes = new Set<ProcessRef>();
  const queued = promiseQueue();
  let isHeld = true;
  // A run that is killed while it writes this leaves a lock that still names it.
  const write = (): Promise<void> =>
    queued(async () => {
      if (isHeld) await rename(await writeBeside(file, { owner, sandboxes: [...sandboxes] }), file);
    });
  return {
    name: async (sandbox) => {
      sandboxes.add(sandbox);
      await write();
      return {
        [Symbol.asyncDispose]: async () => {
          sandboxes.delete(sandbox);
          // A process that is named and gone is nobody else: its start is named with it.
          await write().catch(() => undefined);
        },
      };
    },
    [Symbol.asyncDispose]: () => {
      isHeld = false;
      return queued(() => unlink(file)).catch(() => undefined);
    },
  };
}

async function writeBeside(file: string, state: LockState): Promise<string> {
  const temp = besideOf(file);
  await writeFile(temp, JSON.stringify(state), { mode: 0o600 });
  return temp;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") return false;
    throw new Error(`cannot lock ${to}`, { cause: error });
  }
}

function besideOf(file: string): string {
  return `${file}.${process.pid}-${randomUUID()}.tmp`;
}

/** Null when nothing holds it or the file is no lock. */
export async function readLock(dir: string): Promise<LockState | null> {
  const state = await stateIn(path.join(dir, "lock"));
  return state === "none" ? null : state;
}

/** Null where the file names nobody. */
async function stateIn(file: string): Promise<LockState | null | "none"> {
  try {
    const { owner, sandboxes } = JSON.parse(await readFile(file, "utf8")) as Partial<LockState>;
    return isRef(owner)
      ? { owner, sandboxes: Array.isArray(sandboxes) ? sandboxes.filter(isRef) : [] }
      : null;
  } catch (error) {
    return (error as { code?: unknown }).code === "ENOENT" ? "none" : null;
  }
}

function isRef(value: unknown): value is ProcessRef {
  const ref = value as Partial<ProcessRef> | null | undefined;
  return typeof ref?.pid === "number" && ref.pid > 1 && typeof ref.startTime === "string";
}

/** Null when there is no such process. One that has ended counts as none, also before its parent asks for it. */
export async function processRef(pid: number): Promise<ProcessRef | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The state is field 3 and the start time, in clock ticks since boot, field 22; the name before may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, startTime] = [fields[0], fields[19]];
    return startTime === undefined || state === "Z" || state === "X" ? null : { pid, startTime };
  } catch {
    return null;
  }
}

export async function isAlive(ref: ProcessRef): Promise<boolean> {
  const now = await processRef(ref.pid);
  return now?.startTime === ref.startTime;
}

const endMsMax = 5_000;

/** Ends exactly that process, if it still lives, and waits until it is gone: the signal alone returns before that. */
export async function endProcess(ref: ProcessRef): Promise<void> {
  const deadline = performance.now() + endMsMax;
  while (await isAlive(ref)) {
    if (performance.now() > deadline) throw new Error(`process ${ref.pid} was killed and does not end`);
    kill(ref.pid);
    await sleep(5);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ESRCH")
      throw new Error(`cannot end process ${pid}`, { cause: error });
  }
}
