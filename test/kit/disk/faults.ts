import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { diskSessionFiles } from "../../../src/adapters/disk/files.ts";
import type { EventRecord } from "../../../src/session/event.ts";
import { createJournal } from "../../../src/session/open-journal.ts";
import { newFolder } from "../folder.ts";
import { identity } from "../given.ts";
import { bytesThatFit, type Place } from "./full-disk.ts";
import { ownLimit, setOwnLimit } from "./own-limit.ts";
import { journalOptions, padding, shortStory } from "./sample.ts";
import type { Case } from "./tally.ts";
import { type Durability, judge, type Told, tellUntilItFails } from "./told.ts";

/**
 * The disk takes so many bytes and no more. What was acknowledged is still there, nothing stands behind it, the
 * journal says `StorageFailure` and stays closed, and with room again the session goes on.
 */
export async function* fullDisks(place: Place, durability: Durability): AsyncIterable<Case> {
  for (const { room, pad } of place.rooms) {
    const dir = newFolder("session", place.dir);
    try {
      const name = `${place.name} with room for ${room}, ${pad} bytes of padding, durability ${durability}`;
      yield await oneFullDisk(place, { dir, room, pad, durability, name });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

async function oneFullDisk(
  place: Place,
  one: {
    readonly dir: string;
    readonly room: number;
    readonly pad: number;
    readonly durability: Durability;
    readonly name: string;
  },
): Promise<Case> {
  const { dir, room, pad, durability, name } = one;
  const files = await diskSessionFiles(dir, { durability });
  const journal = createJournal(identity(), journalOptions(files, durability));
  const told = await bytesThatFit(place, room, () => tellUntilItFails(journal, pad));
  await files[Symbol.asyncDispose]();
  return await judge(dir, { name, durability, told });
}

/** Faults that room does not mend. */
export async function* brokenDisks(): AsyncIterable<Case> {
  for (const durability of ["process", "disk"] as const) {
    for (const breakage of breakages) {
      const session = newFolder("broken");
      try {
        yield await oneBreakage(session, breakage, durability);
      } finally {
        await rm(session, { recursive: true, force: true });
      }
    }
  }
}

type Breakage = {
  readonly name: string;
  readonly breakIt: (dir: string, close: () => Promise<void>) => Promise<void>;
  readonly mend: (dir: string) => Promise<void>;
};

/** As root, whom modes do not keep out, the directory is mounted over itself. */
const readOnly: Breakage = {
  name: "the directory becomes read-only",
  breakIt: async (dir) => {
    execFileSync("mount", ["--bind", dir, dir]);
    execFileSync("mount", ["-o", "remount,bind,ro", dir]);
  },
  mend: async (dir) => {
    execFileSync("umount", ["-l", dir]);
  },
};

const breakages: readonly Breakage[] = [
  { name: "the log's file is closed", breakIt: (_dir, close) => close(), mend: async () => undefined },
  {
    name: "the manifest cannot be replaced",
    breakIt: (dir) => blockWithDirectory(path.join(dir, "session.json")),
    mend: (dir) => putBack(path.join(dir, "session.json")),
  },
  {
    name: "no more files can be opened",
    breakIt: async () => useUpFiles(),
    mend: async () => giveBackFiles(),
  },
  ...(process.getuid?.() === 0 ? [readOnly] : []),
];

/** What keeps every descriptor that this process may have. */
const kept: number[] = [];
let usual = "";

function useUpFiles(): void {
  usual = ownLimit("nofile");
  setOwnLimit("nofile", String(readdirSync("/proc/self/fd").length + 32));
  try {
    while (true) kept.push(openSync("/dev/null", "r"));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EMFILE") throw error;
  }
}

function giveBackFiles(): void {
  for (const fd of kept.splice(0)) closeSync(fd);
  setOwnLimit("nofile", usual);
}

/** A directory that is not empty stands where the manifest was: nothing can be renamed over it. */
async function blockWithDirectory(file: string): Promise<void> {
  await rename(file, `${file}.kept`);
  await mkdir(file);
  await writeFile(path.join(file, "x"), "");
}

async function putBack(file: string): Promise<void> {
  await rm(file, { recursive: true, force: true });
  await rename(`${file}.kept`, file);
}

async function oneBreakage(dir: string, breakage: Breakage, durability: Durability): Promise<Case> {
  const files = await diskSessionFiles(dir, { durability });
  const journal = createJournal(identity(), journalOptions(files, durability));
  const acknowledged: EventRecord[] = [];
  for (const event of shortStory) acknowledged.push(await journal.append(event));
  await breakage.breakIt(dir, async () => files[Symbol.asyncDispose]());
  const failure: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
  const after: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
  await files[Symbol.asyncDispose]();
  await breakage.mend(dir);
  const name = `${breakage.name}, durability ${durability}`;
  return await judge(dir, { name, durability, told: { acknowledged, failure, after } });
}

/** What is told to a device in the log's place: one that takes nothing, or one that cannot be synced. */
export async function toldOn(
  device: "/dev/full" | "/dev/null",
  durability: Durability,
): Promise<Told & { readonly closed: unknown }> {
  const dir = newFolder("device");
  const log = path.join(dir, "events.jsonl");
  await symlink(device, log);
  try {
    await using files = await diskSessionFiles(dir, { durability });
    const journal = createJournal(identity(), journalOptions(files, durability));
    const told = await tellUntilItFails(journal, 1);
    const line = Buffer.from("{}\n");
    const closed: unknown = await files.append(line, { barrier: false }).catch((error: unknown) => error);
    return { ...told, closed };
  } finally {
    await unlink(log);
    await rm(dir, { recursive: true, force: true });
  }
}
