import { readFile } from "node:fs/promises";
import path from "node:path";
import { isAlive, readLock } from "../adapters/disk/lock.ts";
import { parseSessionId } from "../session/id.ts";
import { lastEvent } from "../session/reader.ts";
import { type Damage, type VerifiedLog, verifyLog } from "../session/verify.ts";
import type { LocalPlaces } from "./local-places.ts";

/** The lines to print and the exit code. */
export type Answer = { readonly lines: readonly string[]; readonly exit: 0 | 1 | 2 };

/** Proves a session's log from its manifest and its records alone, and says what a resume would make of it. */
export async function verifySession(
  what: string,
  { places, cwd }: { readonly places: LocalPlaces; readonly cwd: string },
): Promise<Answer> {
  const session = parseSessionId(what);
  const dir = session === null ? path.resolve(cwd, what) : places.home(session);
  const files = await readFiles(dir);
  if (files === null) {
    const among = session === null ? `, and it is no name of one in ${places.dir}` : "";
    return { lines: [`${what}: there is no session in ${dir}${among}`], exit: 2 };
  }
  const checked = verifyLog(files, { witnessed: [] });
  if (checked.kind === "damage") {
    const again = session !== null && (await bytesOf(places.rewriting(session))) !== null;
    return damaged(path.basename(dir), checked, again ? rewritten : whatToDo(checked.code));
  }
  const lock = await readLock(dir);
  const working = lock !== null && (await isAlive(lock.owner)) ? lock.owner.pid : null;
  return { lines: [...proved(checked.log, working)], exit: 0 };
}

function proved(log: VerifiedLog, working: number | null): readonly string[] {
  const { manifest, tail, length, tornBytes } = log;
  const { session } = manifest.identity;
  const facts = `${tail.seq} records, generation ${manifest.gen}, ${statusOf(log, working)}`;
  if (tornBytes === 0) return [`${session}: whole, ${facts}`];
  return [
    `${session}: torn: record ${tail.seq + 1} at byte ${length} is not whole; before it ${facts}`,
    `resume will cut its ${tornBytes} bytes and go on after record ${tail.seq}`,
  ];
}

function statusOf({ manifest, bytes }: VerifiedLog, working: number | null): string {
  if (working !== null) return `process ${working} works on it`;
  switch (manifest.status) {
    case "open":
      return "interrupted";
    case "suspended":
      return `suspended (${lastEvent(bytes, "run.suspended")?.reason ?? "unknown"})`;
    case "ended":
      return `ended (${lastEvent(bytes, "session.ended")?.reason ?? "unknown"})`;
  }
}

function damaged(name: string, { code, why }: Damage, advice: string): Answer {
  return { lines: [`${name}: ${code}: ${why}`, advice], exit: 1 };
}

const rewritten =
  "a resume was killed while it wrote these files anew from the shelf; resume it, and they are written again";

function whatToDo(code: Damage["code"]): string {
  switch (code) {
    case "damaged":
    case "behind":
    case "forged":
    case "forked":
    case "no-manifest":
      return "it cannot be resumed as it is: put back the files of this directory from a copy, or begin again with run";
    case "newer-format":
    case "unknown-event":
      return "it was written by a newer version of Baton: verify and resume it with that one";
  }
}

const readsMax = 5;

type Files = { readonly manifest: Uint8Array | null; readonly log: Uint8Array };

/** Both files as of one moment: a run that works on the session replaces the manifest before each record. */
async function readFiles(dir: string): Promise<Files | null> {
  const manifestPath = path.join(dir, "session.json");
  let manifest = await bytesOf(manifestPath);
  for (let reads = 1; ; reads += 1) {
    const log = await bytesOf(path.join(dir, "events.jsonl"));
    const after = await bytesOf(manifestPath);
    if (manifest === null && after === null && log === null) return null;
    const still = manifest !== null && after !== null && Buffer.compare(manifest, after) === 0;
    if (still || after === null || reads === readsMax)
      return { manifest: after, log: log ?? new Uint8Array() };
    manifest = after;
  }
}

async function bytesOf(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new Error(`cannot read ${file}`, { cause: error });
  }
}
