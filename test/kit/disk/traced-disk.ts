import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { newFolder } from "../folder.ts";
import type { Moment } from "./weak-disk.ts";

type File = { data: Buffer; synced: number };
/** What a name stood for, in order, since its folder was synced; the last one is what a reader finds now. */
type Names = Map<string, readonly (File | "folder" | null)[]>;

/**
 * What the kernel was asked for, applied to a file system that promises nothing that was not asked for: a name may be
 * what it was at any time since its folder was synced, and of a file only what was synced is there for certain.
 */
class TracedDisk {
  readonly #names: Names = new Map();

  make(name: string, what: File | "folder"): void {
    this.#names.set(name, [...(this.#names.get(name) ?? [null]), what]);
  }

  now(name: string): File | "folder" | null {
    return this.#names.get(name)?.at(-1) ?? null;
  }

  file(name: string): File {
    const file = this.now(name);
    if (file === null || file === "folder") throw new Error(`${name} is written to and was never made`);
    return file;
  }

  rename(from: string, to: string): void {
    this.make(to, this.file(from));
    this.#names.set(from, [...(this.#names.get(from) ?? []), null]);
  }

  sync(name: string): void {
    const file = this.now(name);
    if (file !== null && file !== "folder") {
      file.synced = file.data.length;
      return;
    }
    for (const [one, was] of this.#names) if (path.dirname(one) === name) this.#names.set(one, was.slice(-1));
  }

  /** Each content that may be found under a name, null for none. What was not synced may as well be missing. */
  contents(name: string): readonly (Buffer | null)[] {
    if (!this.#isSure(path.dirname(name))) return [null, ...this.#contentsThere(name)];
    return this.#contentsThere(name);
  }

  isSure(name: string, bytes: number): boolean {
    const was = this.#names.get(name) ?? [null];
    const isThere = (one: (typeof was)[number]) => one !== null && one !== "folder" && one.synced >= bytes;
    return this.#isSure(path.dirname(name)) && was.every(isThere);
  }

  names(): readonly string[] {
    return [...this.#names.keys()];
  }

  #contentsThere(name: string): readonly (Buffer | null)[] {
    return (this.#names.get(name) ?? [null]).flatMap((one) => {
      if (one === null || one === "folder") return [null];
      return one.synced < one.data.length ? [one.data.subarray(0, one.synced), one.data] : [one.data];
    });
  }

  /** A folder that is not named here was there before. */
  #isSure(folder: string): boolean {
    const was = this.#names.get(folder);
    if (was === undefined) return true;
    return was.every((one) => one === "folder") && this.#isSure(path.dirname(folder));
  }
}

/**
 * The moments between the calls of a session that is told on the disk at level D, from what the adapter asked of the
 * kernel. Throws where `strace` cannot tell; `whyNoInjection` says so before.
 */
export function tracedMoments(): readonly Moment[] {
  const root = newFolder("traced");
  try {
    const dir = path.join(root, "agent", "s");
    const trace = path.join(root, "trace");
    const calls = "trace=openat,mkdir,write,fsync,fdatasync,rename,ftruncate";
    const options = ["-f", "-y", "-s", "70000", "-o", trace, "-e", calls];
    const program = path.join(import.meta.dirname, "tell.ts");
    const ran = spawnSync("strace", [...options, process.execPath, program, dir, "disk"], {
      encoding: "utf8",
      env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
    });
    if (ran.status !== 0) throw new Error(`the traced process ended with ${ran.status}: ${ran.stderr}`);
    return [...momentsIn(readFileSync(trace, "utf8").split("\n"), dir)];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function* momentsIn(lines: readonly string[], dir: string): Iterable<Moment> {
  const disk = new TracedDisk();
  let acknowledged = 0;
  for (const [at, line] of whole(lines).entries()) {
    const said = /^\d+ +write\(1<[^>]*>, "acknowledged (\d+)\\n"/.exec(line);
    if (said !== null) acknowledged = Number(said[1]);
    else if (!apply(disk, line, path.dirname(path.dirname(dir)))) continue;
    yield momentOf(disk, dir, {
      name: `call ${at}: ${line.replace(/".{80,}"/, '"…"').slice(0, 120)}`,
      acknowledged,
    });
  }
}

/** A call that another thread's came between stands where it returned. */
function whole(lines: readonly string[]): readonly string[] {
  const begun = new Map<string, string>();
  return lines.flatMap((line) => {
    const [, before, thread = ""] = /^((\d+) .*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (before !== undefined) {
      begun.set(thread, before);
      return [];
    }
    const [, again = "", after] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return after === undefined ? [line] : [`${begun.get(again)}${after}`];
  });
}

function momentOf(disk: TracedDisk, dir: string, more: Pick<Moment, "name" | "acknowledged">): Moment {
  const log = path.join(dir, "events.jsonl");
  const contents = disk.contents(log);
  const sure = contents.includes(null) ? 0 : Math.min(...contents.map((one) => one?.length ?? 0));
  const blobs = disk
    .names()
    .filter((name) => path.dirname(name) === path.join(dir, "blobs"))
    .filter((name) => disk.isSure(name, 1));
  return {
    ...more,
    manifests: disk.contents(path.join(dir, "session.json")),
    log: contents.at(-1) ?? Buffer.alloc(0),
    durable: sure,
    blobs: new Set(blobs.map((name) => path.basename(name))),
  };
}

/** False for a call that changes nothing under `root`. */
function apply(disk: TracedDisk, line: string, root: string): boolean {
  const [, call = "", rest = ""] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
  const inRoot = (name: string | undefined): name is string =>
    name?.startsWith(`${root}/`) === true || name === root;
  if (/= -1 /.test(rest)) return false;
  const [, fdPath] = /^\d+<([^>]*)>/.exec(rest) ?? [];
  const [, first, second] = /^(?:[^"]*)"([^"]*)"(?:, "([^"]*)")?/.exec(rest) ?? [];
  switch (call) {
    case "mkdir":
      if (!inRoot(first)) return false;
      disk.make(first, "folder");
      return true;
    case "openat":
      if (!inRoot(first) || !rest.includes("O_CREAT")) return false;
      if (disk.now(first) === null || rest.includes("O_TRUNC"))
        disk.make(first, { data: Buffer.alloc(0), synced: 0 });
      return true;
    case "write":
      if (!inRoot(fdPath)) return false;
      disk.file(fdPath).data = Buffer.concat([disk.file(fdPath).data, written(rest)]);
      return true;
    case "rename":
      if (!inRoot(first) || !inRoot(second)) return false;
      disk.rename(first, second);
      return true;
    case "fsync":
    case "fdatasync":
      if (!inRoot(fdPath)) return false;
      disk.sync(fdPath);
      return true;
    default:
      if (inRoot(fdPath)) throw new Error(`a call that this does not know: ${line}`);
      return false;
  }
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, '"': 34, "\\": 92 };

/** The bytes that strace shows as a string of C, which has to be whole. */
function written(rest: string): Buffer {
  const [, text, cut, length] = /^\d+<[^>]*>, "((?:[^"\\]|\\.)*)"(\.\.\.)?, (\d+)\)/.exec(rest) ?? [];
  if (text === undefined || cut !== undefined)
    throw new Error(`a write that is not shown whole: ${rest.slice(0, 200)}`);
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of text.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\])/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (escaped !== undefined) bytes.push(escapes[escaped] ?? 0);
    else bytes.push((plain ?? "").charCodeAt(0));
  }
  if (bytes.length !== Number(length)) throw new Error(`a write of ${length} bytes shows ${bytes.length}`);
  return Buffer.from(bytes);
}
