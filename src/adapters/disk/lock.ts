import { link, readFile, unlink, writeFile } from "node:fs/promises";
import path from "node:path";

/** A process, told apart from a later one with the same number by when it started. */
export type ProcessRef = { readonly pid: number; readonly startTime: string };

export type LockState = { readonly owner: ProcessRef; readonly sandbox: ProcessRef | null };

export type Lock = AsyncDisposable & { readonly name: (sandbox: ProcessRef | null) => Promise<void> };

export type Locked =
  | { readonly kind: "locked"; readonly lock: Lock }
  | { readonly kind: "busy"; readonly owner: ProcessRef };

/** `lock` in the session's directory, held while the run lives; names the sandbox's outermost process once it exists. */
export async function lockSession(dir: string): Promise<Locked> {
  const file = path.join(dir, "lock");
  const owner = await processRef(process.pid);
  if (owner === null) throw new Error(`cannot read the start time of process ${process.pid}`);
  const write = async (state: LockState): Promise<string> => {
    const temp = `${file}.${process.pid}.tmp`;
    await writeFile(temp, JSON.stringify(state), { mode: 0o600 });
    return temp;
  };
  const temp = await write({ owner, sandbox: null });
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      if (await linked(temp, file)) return { kind: "locked", lock: lockAt(file, owner) };
      const held = await readLock(dir);
      if (held !== null && (await isAlive(held.owner))) return { kind: "busy", owner: held.owner };
      await unlink(file).catch(() => undefined);
    }
  } finally {
    await unlink(temp).catch(() => undefined);
  }
  throw new Error(`cannot lock ${file}: others keep taking it`);
}

function lockAt(file: string, owner: ProcessRef): Lock {
  return {
    name: (sandbox) =>
      writeFile(file, JSON.stringify({ owner, sandbox } satisfies LockState), { mode: 0o600 }),
    [Symbol.asyncDispose]: () => unlink(file).catch(() => undefined),
  };
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

/** Null when nothing holds it or the file is no lock. */
export async function readLock(dir: string): Promise<LockState | null> {
  try {
    const value = JSON.parse(await readFile(path.join(dir, "lock"), "utf8")) as Partial<LockState>;
    return isRef(value.owner)
      ? { owner: value.owner, sandbox: isRef(value.sandbox) ? value.sandbox : null }
      : null;
  } catch {
    return null;
  }
}

function isRef(value: unknown): value is ProcessRef {
  const ref = value as Partial<ProcessRef> | null | undefined;
  return typeof ref?.pid === "number" && ref.pid > 1 && typeof ref.startTime === "string";
}

/** Start time is field 22 of /proc/<pid>/stat, in clock ticks since boot; null when there is no such process. */
export async function processRef(pid: number): Promise<ProcessRef | null> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const startTime = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    return startTime === undefined ? null : { pid, startTime };
  } catch {
    return null;
  }
}

export async function isAlive(ref: ProcessRef): Promise<boolean> {
  const now = await processRef(ref.pid);
  return now?.startTime === ref.startTime;
}

/** Ends exactly that process, if it still lives. */
export async function endProcess(ref: ProcessRef): Promise<void> {
  if (!(await isAlive(ref))) return;
  try {
    process.kill(ref.pid, "SIGKILL");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ESRCH")
      throw new Error(`cannot end process ${ref.pid}`, { cause: error });
  }
}
