import { constants, promises as fs, type Stats } from "node:fs";
import path from "node:path";

/** A name in the workspace, followed to what it really is. */
export type Place = {
  readonly kind: "place";
  /** Where it really is, relative to the workspace, with `/`; `""` for the workspace itself. */
  readonly path: string;
  /** The same as an absolute path without links. */
  readonly real: string;
  readonly type: "file" | "dir" | "absent" | "other";
};

export type Refused = { readonly kind: "refused"; readonly why: string };

const namesBytesMax = { part: 255, path: 4096 } as const;

/**
 * Follows a name that the model gave, relative to the workspace or absolute and inside it. Refused: what is
 * outside or leads out through a link, what no file system can hold, and for `write` everything in `.git` (R10).
 * The sandbox is the wall; this is what makes a mistake plain, and it holds where the wall is switched off.
 */
export async function locate(root: string, asked: string, use: "read" | "write"): Promise<Place | Refused> {
  const top = await fs.realpath(root);
  const name = lexical(root, top, asked);
  if (name.kind === "refused") return name;
  const found = await follow(path.join(top, name.path), asked);
  if (found.kind === "refused") return found;
  if (!isInside(top, found.real)) {
    return refused(`${asked} leads out of the workspace through a link. Only what is inside can be used.`);
  }
  const real = path.relative(top, found.real);
  if (use === "write" && (isGit(name.path) || isGit(real))) {
    return refused(`${asked} belongs to .git, which is read-only: commits are made for you after the work.`);
  }
  return { kind: "place", path: real, real: found.real, type: found.type };
}

/** `name` as a path below the workspace, links not followed yet. */
function lexical(root: string, top: string, asked: string): Refused | { kind: "name"; path: string } {
  if (asked.includes("\0")) return refused("The path contains a NUL byte; no file name can.");
  if (Buffer.byteLength(asked) > namesBytesMax.path) {
    return refused(
      `The path has ${Buffer.byteLength(asked)} bytes; at most ${namesBytesMax.path} are possible.`,
    );
  }
  const long = asked.split("/").find((part) => Buffer.byteLength(part) > namesBytesMax.part);
  if (long !== undefined) {
    const size = Buffer.byteLength(long);
    return refused(`A name in the path has ${size} bytes; at most ${namesBytesMax.part} are possible.`);
  }
  for (const base of [root, top]) {
    const full = path.resolve(base, asked);
    if (isInside(path.resolve(base), full)) {
      return { kind: "name", path: path.relative(path.resolve(base), full) };
    }
  }
  return refused(`${asked} is outside the workspace (${root}). Give a path relative to it.`);
}

type Found = { kind: "found"; real: string; type: Place["type"] };

/** The real path of the deepest part that exists, and the rest as it was given. */
async function follow(full: string, asked: string): Promise<Refused | Found> {
  const missing: string[] = [];
  for (let at = full; ; at = path.dirname(at)) {
    const step = await look(at);
    if (step === "dangling") {
      return refused(`${asked}: ${path.basename(at)} is a link to something that does not exist.`);
    }
    if (step === "circle") return refused(`${asked}: ${path.basename(at)} is a link in a circle.`);
    if (step === "absent") {
      missing.unshift(path.basename(at));
      continue;
    }
    if (missing.length === 0) return { kind: "found", real: step.real, type: typeOf(step.stats) };
    if (!step.stats.isDirectory()) {
      return refused(`${asked}: ${path.basename(at)} is not a directory, so nothing can be below it.`);
    }
    return { kind: "found", real: path.join(step.real, ...missing), type: "absent" };
  }
}

type Look = { readonly real: string; readonly stats: Stats } | "absent" | "dangling" | "circle";

async function look(full: string): Promise<Look> {
  try {
    const real = await fs.realpath(full);
    return { real, stats: await fs.lstat(real) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ELOOP") return "circle";
    if (code === "ENOTDIR") return "absent";
    if (code !== "ENOENT") throw error;
    return (await isLink(full)) ? "dangling" : "absent";
  }
}

async function isLink(full: string): Promise<boolean> {
  try {
    return (await fs.lstat(full)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

export type Opened = {
  readonly kind: "file";
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
};

export type TooLarge = { readonly kind: "large"; readonly bytes: number };

/**
 * The bytes of a regular file. A FIFO or a device is never waited for, and a link that took the file's place in the
 * meantime is not followed.
 */
export async function readBytes(place: Place, bytesMax: number): Promise<Opened | TooLarge | Refused> {
  if (place.type === "other") {
    return refused(`${place.path} is not a regular file (a FIFO, socket or device); it cannot be opened.`);
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await fs.open(place.real, flags);
  const stats = await file.stat();
  if (!stats.isFile()) return refused(`${place.path} is not a regular file; it cannot be opened.`);
  if (stats.size > bytesMax) return { kind: "large", bytes: stats.size };
  return { kind: "file", bytes: await file.readFile(), mode: stats.mode & 0o7777 };
}

let made = 0;

/**
 * Puts `bytes` in the place of what is there, whole or not at all. `mode` null gives a new file's usual bits.
 * Directories on the way are created. The place was checked by `locate` for `write`.
 */
export async function replaceFile(
  place: Place,
  bytes: Uint8Array,
  { mode }: { readonly mode: number | null },
): Promise<void> {
  const dir = path.dirname(place.real);
  await fs.mkdir(dir, { recursive: true });
  made += 1;
  const temporary = path.join(dir, `.write-${process.pid}-${made}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using file = await fs.open(temporary, flags, 0o666);
    await file.writeFile(bytes);
    if (mode !== null) await file.chmod(mode);
    await fs.rename(temporary, place.real);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

function typeOf(stats: Stats): Place["type"] {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "dir" : "other";
}

/** Whether any part is `.git`, in any case: some file systems do not tell the cases apart. */
export function isGit(relative: string): boolean {
  return relative.split("/").some((part) => part.toLowerCase() === ".git");
}

function isInside(top: string, full: string): boolean {
  const relative = path.relative(top, full);
  return relative !== ".." && !relative.startsWith("../");
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}

function refused(why: string): Refused {
  return { kind: "refused", why };
}
