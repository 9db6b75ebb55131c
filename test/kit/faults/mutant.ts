// Plays cases of a sweep against a copy of the source with one place changed, to show that the judge notices.
import { execFile } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newFolder } from "../folder.ts";

export type Mutation = {
  /** A source file, such as `loop/decide.ts`. */
  readonly file: string;
  /** Must stand in the file exactly once, so that moving it fails loudly instead of changing nothing. */
  readonly find: string;
  readonly replace: string;
};

const root = resolve(import.meta.dirname, "../../..");

/** What `node test/sweeps/<sweep>.ts` with these arguments counts in the changed copy, in its last line. */
export async function sweepChanged<Tally>(
  sweep: "faults" | "delivery",
  { file, find, replace }: Mutation,
  args: readonly string[],
): Promise<Tally> {
  const dir = newFolder("faults");
  try {
    for (const part of ["package.json", "src", "test/kit", "test/loop", "test/sweeps"])
      cpSync(join(root, part), join(dir, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
    const path = join(dir, "src", file);
    const source = readFileSync(path, "utf8");
    const times = source.split(find).length - 1;
    if (times !== 1)
      throw new Error(`cannot change ${file}: ${JSON.stringify(find)} stands in it ${times} times`);
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
    return await counted<Tally>(join(dir, `test/sweeps/${sweep}.ts`), args);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function counted<Tally>(sweep: string, args: readonly string[]): Promise<Tally> {
  return new Promise((settle, reject) => {
    execFile(process.execPath, [sweep, ...args], (error, stdout, stderr) => {
      const last = stdout.trim().split("\n").at(-1) ?? "";
      // It ends with 1 when a case came out wrong, which is what is looked for.
      if (last.startsWith("{")) settle(JSON.parse(last) as Tally);
      else reject(new Error(`the sweep counted nothing: ${stderr}`, { cause: error }));
    });
  });
}
