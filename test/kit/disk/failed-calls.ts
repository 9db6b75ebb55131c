import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { EventRecord } from "../../../src/session/event.ts";
import { StorageFailure } from "../../../src/session/open-journal.ts";
import { newFolder } from "../folder.ts";
import type { Case } from "./tally.ts";
import { type Durability, judge } from "./told.ts";

export type FailedCall = {
  readonly call: "fdatasync" | "fsync" | "write";
  /** The n-th one fails with EIO, and no other. */
  readonly nth: number;
  readonly durability: Durability;
};

/** Why `strace` cannot make a call fail here, or null. */
export function whyNoInjection(): string | null {
  const ran = spawnSync("strace", ["-e", "inject=getppid:error=EIO", "true"], { encoding: "utf8" });
  if (ran.error !== undefined) return "strace is not there: no call to the kernel was made to fail";
  return ran.status === 0 ? null : `strace may not trace: ${ran.stderr.trim()}`;
}

/** Each sync and each write to the log, one after the other, until there is none left to fail. */
export async function* failedCalls(): AsyncIterable<Case> {
  const kinds = [
    { call: "fdatasync", durability: "disk" },
    { call: "fsync", durability: "disk" },
    { call: "write", durability: "disk" },
    { call: "write", durability: "process" },
  ] as const;
  for (const kind of kinds) {
    for (let nth = 1; ; nth += 1) {
      const failed = await failedCall({ ...kind, nth });
      if (failed === null) break;
      yield failed;
    }
  }
}

type Traced = {
  readonly acknowledged: readonly EventRecord[];
  readonly failure: { readonly storage: boolean; readonly says: string } | null;
  readonly after: { readonly storage: boolean; readonly says: string } | null;
};

/**
 * A real EIO of the kernel's, at one call on the session's files. What was acknowledged is there afterwards, nothing
 * is synced or written once more, and the journal stays closed. Yields null behind the last such call.
 */
export async function failedCall({ call, nth, durability }: FailedCall): Promise<Case | null> {
  const root = newFolder("eio");
  try {
    const dir = path.join(root, "session");
    mkdirSync(path.join(dir, "blobs"), { recursive: true });
    const { traced, calls } = tellTraced(dir, path.join(root, "trace"), { call, nth, durability });
    const at = calls.findIndex((line) => line.includes("(INJECTED)"));
    if (at < 0) return null;
    const { acknowledged, failure, after } = traced;
    const told = { acknowledged, failure: errorOf(failure), after: errorOf(after) };
    const unsynced = call !== "write" && calls[at]?.includes("events.jsonl") === true;
    const file = path.relative(root, /<([^>]*)>/.exec(calls[at] ?? "")?.[1] ?? "");
    const name = `${call} ${nth} fails, of ${file}, durability ${durability}`;
    const judged = await judge(dir, { name, durability, told: { ...told, unsynced } });
    const more = calls.slice(at + 1);
    return more.length === 0 ? judged : { ...judged, saw: `went on with ${more.join(", ")}` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** One thread for the calls of the file system, because strace counts the calls of each thread by itself. */
function tellTraced(
  dir: string,
  trace: string,
  { call, nth, durability }: FailedCall,
): { readonly traced: Traced; readonly calls: readonly string[] } {
  const program = path.join(import.meta.dirname, "tell.ts");
  // Every sync of the process is of the session's files; of its writes only those to the log.
  const filter = call === "write" ? ["-P", path.join(dir, "events.jsonl")] : [];
  const calls = "trace=write,fsync,fdatasync,rename";
  const inject = `inject=${call}:error=EIO:when=${nth}`;
  const options = ["-f", "-y", "-s", "0", "-o", trace, "-e", calls, "-e", inject, ...filter];
  const ran = spawnSync("strace", [...options, process.execPath, program, dir, durability], {
    encoding: "utf8",
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  if (ran.status !== 0) throw new Error(`the traced process ended with ${ran.status}: ${ran.stderr}`);
  const lines = readFileSync(trace, "utf8").split("\n");
  return {
    traced: JSON.parse(ran.stdout.split("\n").at(-1) ?? "") as Traced,
    calls: lines.filter((line) => line.includes(dir)).map((line) => line.replace(/^\d+ +/, "")),
  };
}

function errorOf(told: Traced["failure"]): Error | null {
  if (told === null) return null;
  return told.storage ? new StorageFailure(told.says) : new Error(told.says);
}
