import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder of a whole test run: vitest kills its workers, so they cannot remove anything at their end. */
const variable = "BATON_TEST_FOLDER";

let ownFolder = process.env[variable] ?? null;

/**
 * A new, empty folder with `name` in its name, under its real path. It is removed at the end of the test run, or of
 * this process where there is none, if it was not before. Whatever needs a folder makes it here, so none stays.
 */
export function newFolder(name: string, parent?: string): string {
  return mkdtempSync(join(parent ?? ofThisProcess(), `${name}-`));
}

/** For vitest, before and after all tests. */
export function setup(): void {
  process.env[variable] = ofThisProcess();
}

export function teardown(): void {
  if (ownFolder !== null) remove(ownFolder);
}

function ofThisProcess(): string {
  if (ownFolder !== null) return ownFolder;
  const parent = realpathSync(tmpdir());
  removeLeft(parent);
  const folder = mkdtempSync(join(parent, `baton-${process.pid}-`));
  // As the product does (src/adapters/sandbox/apart.ts): tests make and remove more files than anything else.
  spawnSync("chattr", ["+T", "--", folder], { stdio: "ignore" });
  process.once("exit", () => remove(folder));
  ownFolder = folder;
  return folder;
}

/** What a process that was killed could not remove. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^baton-(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const stat = lstatSync(join(parent, name), { throwIfNoEntry: false });
    if (stat?.uid === process.getuid?.()) remove(join(parent, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    process.stderr.write(`${folder} stays: ${String(error)}\n`);
  }
}
