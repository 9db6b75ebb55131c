import { execFile } from "node:child_process";
import { lstatSync, rmSync } from "node:fs";
import { isAbsolute } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Copies everything in `from` to `to` with modes, owners and links. `cp` shares the blocks of the files where the
 * file system can, which Node's own copy of a folder does not, nor does that keep owners.
 */
export async function copyFolder(
  from: string,
  to: string,
  place: { path: string; home: string },
): Promise<void> {
  if (!isAbsolute(from) || !isAbsolute(to))
    throw new Error(`cannot copy ${from} to ${to}: not absolute paths`);
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined)
    throw new Error(`cannot copy to ${to}: it exists`);
  const options = { cwd: place.home, env: { PATH: place.path, LC_ALL: "C" } };
  try {
    await run("cp", ["-a", "--reflink=auto", from, to], options);
  } catch (error) {
    // BusyBox does not know the option. Any other failure comes back in the second try.
    rmSync(to, { recursive: true, force: true });
    await run("cp", ["-a", from, to], options).catch((cause: unknown) => {
      throw new Error(`cannot copy ${from} to ${to}`, { cause: new AggregateError([error, cause]) });
    });
  }
}
