import { execFileSync } from "node:child_process";
import { rmdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { newFolder } from "../folder.ts";
import { ownLimit, setOwnLimit } from "./own-limit.ts";

/** Somewhere a session's files run out of room, and how much room to try. */
export type Place = {
  readonly name: string;
  readonly dir: string;
  /** `room` in bytes; `pad` is how many more bytes the session's story has, so that a line ends elsewhere. */
  readonly rooms: readonly { readonly room: number; readonly pad: number }[];
  readonly bound: (room: number) => Disposable;
};

/** Runs `work` with so many bytes of room. */
export async function bytesThatFit<T>(place: Place, room: number, work: () => Promise<T>): Promise<T> {
  using _bound = place.bound(room);
  return await work();
}

export type Given<T> = { readonly place: T | null; readonly why: string } & Disposable;

const none = (why: string): Given<Place> => ({ place: null, why, [Symbol.dispose]: () => undefined });

/**
 * No file of this process may grow over `room` bytes: a write that reaches over it is short, the next one fails. It
 * needs no privilege and cuts at every byte, which a file system in pages does not.
 */
export function givenFileBound(rooms: Place["rooms"]): Given<Place> {
  let usual: string;
  try {
    usual = ownLimit("fsize");
    setOwnLimit("fsize", usual);
  } catch {
    return none("prlimit is not there: the bounds of single files were not tried");
  }
  // The signal's own action would end the process; what is wanted is the error of the write.
  const ignore = (): void => undefined;
  process.on("SIGXFSZ", ignore);
  const dir = newFolder("bound");
  const bound = (room: number): Disposable => {
    setOwnLimit("fsize", String(room));
    return { [Symbol.dispose]: () => setOwnLimit("fsize", usual) };
  };
  return {
    place: { name: "files bounded", dir, rooms, bound },
    why: "",
    [Symbol.dispose]: () => {
      setOwnLimit("fsize", usual);
      process.off("SIGXFSZ", ignore);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const pageBytes = 4096;
const diskBytes = 32 * pageBytes;

/** A file system of its own in memory, filled up but for `room` bytes, in whole pages. Only root may mount one. */
export function givenSmallDisk(rooms: Place["rooms"]): Given<Place> {
  if (process.getuid?.() !== 0) return none("not root: no small disk was mounted");
  const dir = newFolder("full");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", dir], { stdio: "ignore" });
  } catch {
    rmdirSync(dir);
    return none("mount is not allowed: no small disk was mounted");
  }
  const filler = path.join(dir, "filler");
  const bound = (room: number): Disposable => {
    writeFileSync(filler, Buffer.alloc(diskBytes - room));
    return { [Symbol.dispose]: () => rmSync(filler, { force: true }) };
  };
  return {
    place: { name: "small disk", dir, rooms, bound },
    why: "",
    [Symbol.dispose]: () => {
      execFileSync("umount", [dir], { stdio: "ignore" });
      rmdirSync(dir);
    },
  };
}

/** Pages of room in steps, and for each the padding that lets lines end 1 KiB further along. */
export function pagesOfRoom(pagesMax: number, pads: readonly number[]): Place["rooms"] {
  return Array.from({ length: pagesMax + 1 }, (_, pages) =>
    pads.map((pad) => ({ room: pages * pageBytes, pad })),
  ).flat();
}

/** Every `step` bytes from none to more than any file of the story has. */
export function bytesOfRoom(step: number): Place["rooms"] {
  const bytesMax = 10_000;
  return Array.from({ length: Math.ceil(bytesMax / step) }, (_, at) => ({ room: at * step, pad: 100 }));
}
