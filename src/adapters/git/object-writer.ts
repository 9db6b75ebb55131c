import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, deflate, deflateSync } from "node:zlib";
import type { Sha } from "../../base/hash.ts";
import { frame } from "./object-format.ts";

const inlineDeflateBytesMax = 256 * 1024;
const level = { level: constants.Z_BEST_SPEED };
const deflateLater = promisify(deflate) as (data: Uint8Array, options: typeof level) => Promise<Buffer>;

/** `process`: survives the death of our process. `disk`: survives power loss. */
export type Durability = "process" | "disk";

/**
 * Writes loose objects without starting git. Git's own format for them is a header, a SHA-1 and zlib; four starts of
 * git for each sealed call would cost more than all the rest of sealing, and a whole git library in the bundle more
 * than these lines.
 */
export class ObjectWriter {
  readonly #objects: string;
  readonly #durability: Durability;
  readonly #known: Set<string>;
  readonly #folders = new Set<string>();
  #written = 0;

  /** `known` are ids that are here already. */
  constructor(
    gitDir: string,
    options: { readonly durability: Durability; readonly known: Iterable<string> },
  ) {
    this.#objects = join(gitDir, "objects");
    this.#durability = options.durability;
    this.#known = new Set(options.known);
  }

  /** Resolves with the id once the object is stored under it. */
  async write(type: "blob" | "tree", body: Uint8Array): Promise<Sha> {
    const { id, bytes } = frame(type, body);
    if (this.#known.has(id)) return id;
    const folder = join(this.#objects, id.slice(0, 2));
    const path = join(folder, id.slice(2));
    if (!existsSync(path)) {
      const packed =
        bytes.length > inlineDeflateBytesMax ? await deflateLater(bytes, level) : deflateSync(bytes, level);
      this.#store(folder, path, packed);
    }
    this.#known.add(id);
    return id;
  }

  #store(folder: string, path: string, packed: Buffer): void {
    if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
    // Git's own prefix, so that git knows what a killed run left behind; a left-over of the same name is overwritten.
    this.#written += 1;
    const temporary = join(this.#objects, `tmp_obj_${process.pid}_${this.#written}`);
    const file = openSync(temporary, "w", 0o600);
    try {
      for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at);
      if (this.#durability === "disk") fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    if (this.#durability === "disk") syncFolder(folder);
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
