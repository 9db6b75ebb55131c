import { spawn } from "node:child_process";
import { systemPath, systemProgram } from "./kind.ts";

/**
 * Tells the file system, where it can be told, that the folders in `dir` have nothing to do with each other. What
 * they are called then has to differ each time. ext4 otherwise keeps them together; and where it has no journal, as
 * on machines that live for one job, it looks at every inode there that was freed in the last minutes before it takes
 * one: after a checkout was removed, the next took twenty times as long. This is a hint, and costs nothing but time
 * where it is not taken.
 */
export function layApart(dir: string): Promise<void> {
  const program = systemProgram("chattr");
  if (program === null) return Promise.resolve();
  return new Promise((resolve) => {
    const child = spawn(program, ["+T", "--", dir], { stdio: "ignore", env: { PATH: systemPath } });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}
