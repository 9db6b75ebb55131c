import { type FileHandle, mkdir, open, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Digest, digestOf } from "../../base/hash.ts";
import type { Blobs, SessionFiles } from "../../session/files.ts";
import { replacingNow, writeNow } from "./replacing.ts";

/**
 * A session's files in one directory: `session.json`, `events.jsonl`, `blobs/`. With durability `process` a write
 * counts once `write(2)` returned; with `disk` blobs, manifest and directories are synced before the line that names
 * them, and a barrier syncs the log. A failed sync is never tried again: what reached the disk is unknown.
 */
export async function diskSessionFiles(
  dir: string,
  options: { readonly durability: "process" | "disk" },
): Promise<SessionFiles & AsyncDisposable> {
  const made = await mkdir(path.join(dir, "blobs"), { recursive: true, mode: 0o700 });
  if (options.durability === "disk" && made !== undefined) await syncDirectories(path.dirname(made), dir);
  const logPath = path.join(dir, "events.jsonl");
  const log = await open(logPath, "a", 0o600);
  let length = (await log.stat()).size;
  let poisoned: unknown = null;
  const sync = options.durability === "disk";
  const manifestPath = path.join(dir, "session.json");
  const manifest = replacingNow(manifestPath);

  const append = async (line: Uint8Array, barrier: boolean): Promise<void> => {
    if (poisoned !== null) throw new Error(`${logPath} is closed after a failed write`, { cause: poisoned });
    try {
      if (sync) await writeWhole(log, line);
      else writeNow(log.fd, line);
    } catch (cause) {
      // Short writes happen before ENOSPC is reported: cut them, or nothing may be written any more.
      await log.truncate(length).catch((error: unknown) => {
        poisoned = error;
      });
      throw new Error(`cannot append to ${logPath}`, { cause });
    }
    length += line.length;
    if (sync && barrier) await orPoison(log.datasync());
  };

  const orPoison = async (work: Promise<void>): Promise<void> => {
    await work.catch((cause: unknown) => {
      poisoned = cause;
      throw new Error(`cannot sync ${logPath}`, { cause });
    });
  };

  return {
    read: async () => ({
      manifest: await bytesOf(manifestPath),
      log: await readFile(logPath),
    }),
    append: (line, { barrier }) => append(line, barrier),
    replaceManifest: async (bytes) => {
      if (sync) await replaceFile(manifestPath, bytes, { sync });
      else manifest.replace(bytes);
    },
    cut: async (to) => {
      const all = await readFile(logPath);
      const torn = all.subarray(to);
      const sha256 = digestOf(torn);
      await replaceFile(path.join(dir, `torn-${sha256}`), torn, { sync });
      await log.truncate(to);
      if (sync) await orPoison(log.datasync());
      length = to;
      return { cutBytes: torn.length, sha256 };
    },
    blobs: diskBlobs(path.join(dir, "blobs"), { sync }),
    [Symbol.asyncDispose]: async () => {
      manifest[Symbol.dispose]();
      await log.close();
    },
  };
}

function diskBlobs(dir: string, options: { readonly sync: boolean }): Blobs {
  return {
    put: async (bytes) => {
      const digest = digestOf(bytes);
      const file = path.join(dir, digest);
      // One that a killed process left may not have reached the disk, and one that a disk spoiled is made good.
      if (options.sync || !(await holds(file, bytes))) await replaceFile(file, bytes, options);
      return digest;
    },
    get: async (digest: Digest) => {
      const bytes = await bytesOf(path.join(dir, digest));
      return bytes !== null && digestOf(bytes) === digest ? bytes : null;
    },
  };
}

async function holds(file: string, bytes: Uint8Array): Promise<boolean> {
  return (await bytesOf(file))?.equals(bytes) === true;
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const result = await file.write(bytes, written, bytes.length - written);
    if (result.bytesWritten === 0) throw new Error("nothing could be written");
    written += result.bytesWritten;
  }
}

/** Temp, then rename: a reader sees the old file or the new one. */
async function replaceFile(
  file: string,
  bytes: Uint8Array,
  options: { readonly sync: boolean },
): Promise<void> {
  const temp = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temp, bytes, { mode: 0o600, flush: options.sync });
    await rename(temp, file);
  } catch (cause) {
    await unlink(temp).catch(() => undefined);
    throw new Error(`cannot write ${file}`, { cause });
  }
  if (options.sync) await syncDirectory(path.dirname(file));
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** From the one that was there before down to the session's own: each names the next. */
async function syncDirectories(from: string, to: string): Promise<void> {
  for (let dir = to; dir !== from && dir !== path.dirname(dir); dir = path.dirname(dir))
    await syncDirectory(dir);
  await syncDirectory(from);
}

/** Null when there is no such file. */
async function bytesOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw new Error(`cannot read ${file}`, { cause: error });
  }
}

/** Removes a session's directory, whoever owns what is in it. */
export function removeSessionFiles(dir: string): Promise<void> {
  return rm(dir, { recursive: true, force: true });
}
