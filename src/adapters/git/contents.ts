import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type BytePath, onDisk } from "./names.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { Found } from "./scan.ts";
import type { Leaf } from "./trees.ts";

/** GitHub takes no larger file; unit bytes. */
export const fileBytesMax = 100 * 1024 * 1024;
/** How far the kernel's coarse clock, which stamps files, may lag behind what is written; milliseconds. */
const stampLagMs = 100;
/** The same for file systems that keep whole seconds. */
const coarseStampLagMs = 2_000;

type Remembered = { readonly stat: Stats; readonly leaf: Leaf; readonly hashedAtMs: number };

export type Read =
  | { readonly kind: "read"; readonly leaf: Leaf }
  | { readonly kind: "unfit"; readonly why: string };

/**
 * The blobs of one directory's files. A file is read again only when its stat changed, or when it had changed so
 * shortly before it was hashed that a second change could have left the same stamps (git's rule for a racy index).
 * The inode's change time decides, because no process can set it.
 */
export class Contents {
  readonly #root: string;
  readonly #writer: ObjectWriter;
  readonly #stampFile: string;
  #files = new Map<BytePath, Remembered>();

  /** `scratch` is a private directory, where a file is stamped to learn the file system's own time. */
  constructor(root: string, options: { readonly writer: ObjectWriter; readonly scratch: string }) {
    this.#root = root;
    this.#writer = options.writer;
    this.#stampFile = join(options.scratch, "stamp");
  }

  /** Stores what these files hold. What is not among them is forgotten. */
  async read(found: readonly Found[]): Promise<ReadonlyMap<BytePath, Read>> {
    const results = new Map<BytePath, Read>();
    const files = new Map<BytePath, Remembered>();
    const hashedAtMs = this.#now();
    for (const item of found) {
      if (item.kind !== "file" && item.kind !== "link") continue;
      const known = this.#files.get(item.path);
      if (known !== undefined && isSame(known, item.stat)) {
        files.set(item.path, known);
        results.set(item.path, { kind: "read", leaf: known.leaf });
        continue;
      }
      const result = await this.#store(item.path, item.stat);
      results.set(item.path, result);
      if (result.kind === "read") files.set(item.path, { stat: item.stat, leaf: result.leaf, hashedAtMs });
    }
    this.#files = files;
    return results;
  }

  async #store(path: BytePath, stat: Stats): Promise<Read> {
    if (stat.size > fileBytesMax) return { kind: "unfit", why: `larger than ${fileBytesMax} bytes` };
    const place = onDisk(this.#root, path);
    try {
      if (stat.isSymbolicLink()) {
        const id = await this.#writer.write("blob", readlinkSync(place, { encoding: "buffer" }));
        return { kind: "read", leaf: { mode: "120000", id } };
      }
      const id = await this.#writer.write("blob", readRegular(place, stat));
      return { kind: "read", leaf: { mode: (stat.mode & 0o100) === 0 ? "100644" : "100755", id } };
    } catch (error) {
      if (!isRefusedRead(error)) throw error;
      return { kind: "unfit", why: `cannot be read: ${error.message}` };
    }
  }

  #now(): number {
    writeFileSync(this.#stampFile, "");
    return lstatSync(this.#stampFile).ctimeMs;
  }
}

function isSame({ stat, hashedAtMs }: Remembered, now: Stats): boolean {
  const lag = now.ctimeMs % 1_000 === 0 ? coarseStampLagMs : stampLagMs;
  return (
    stat.ctimeMs === now.ctimeMs &&
    stat.mtimeMs === now.mtimeMs &&
    stat.size === now.size &&
    stat.ino === now.ino &&
    stat.dev === now.dev &&
    stat.mode === now.mode &&
    now.ctimeMs + lag < hashedAtMs
  );
}

function readRegular(place: string | Buffer, expected: Stats): Buffer {
  // Not following links and not waiting for a FIFO, should the name lead elsewhere by now.
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.ino !== expected.ino || stat.dev !== expected.dev)
      throw new Error(`${place} was replaced while it was read`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function isRefusedRead(error: unknown): error is Error {
  return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
}
