import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

/** Writes all of it, at once: what only has to reach the page cache takes less time than a thread takes to be told. */
export function writeNow(fd: number, bytes: Uint8Array, position: number | null = null): void {
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    const more = writeSync(fd, bytes, written, bytes.length - written, at);
    if (more === 0) throw new Error("nothing could be written");
    written += more;
  }
}

/**
 * Replaces one small file again and again by renaming another over it. The file that is replaced is kept by a second
 * name and written to in the turn after next: ext4 sends a new file to the disk when it is renamed over an old one,
 * half a millisecond each time, but not one that has its blocks already. For level P only: nothing is synced.
 */
export function replacingNow(file: string): Disposable & { readonly replace: (bytes: Uint8Array) => void } {
  let [spare, next] = [`${file}.a.tmp`, `${file}.b.tmp`];
  const remove = () => {
    for (const name of [spare, next]) rmSync(name, { force: true });
  };
  // What cannot be removed is found by the next one who opens it, and must not hide what went wrong before.
  const tidy = () => {
    try {
      remove();
    } catch {}
  };
  // A name that a crash left may stand for the file itself, which must never be written to in place.
  remove();
  return {
    replace: (bytes) => {
      try {
        fill(spare, bytes);
        keep(file, next);
        renameSync(spare, file);
      } catch (cause) {
        tidy();
        throw new Error(`cannot write ${file}`, { cause });
      }
      [spare, next] = [next, spare];
    },
    [Symbol.dispose]: tidy,
  };
}

function fill(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeNow(fd, bytes, 0);
    if (fstatSync(fd).size > bytes.length) ftruncateSync(fd, bytes.length);
  } finally {
    closeSync(fd);
  }
}

/** Without a second name, as in the first turn or where there are no links, the next turn makes a new file. */
function keep(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    rmSync(name, { force: true });
  }
}
