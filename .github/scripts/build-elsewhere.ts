// Builds dist/ in copies of this tree in other folders: `npm run build:twice` shows that no folder shows in the result.
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

if (process.argv[1] === fileURLToPath(import.meta.url)) await twice();

async function twice(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "baton-build-"));
  try {
    const first = await buildIn(join(folder, "one"));
    const second = await buildIn(join(folder, "another", "and deeper"));
    const differing = differences(await filesOf(first), await filesOf(second));
    console.log(JSON.stringify({ files: (await filesOf(first)).size, differing }));
    process.exitCode = differing.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies what the build reads to `folder`, builds there, and gives the path of the `dist` it made. */
export async function buildIn(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ["package.json", "tsconfig.json", "src", ".github"])
    await cp(join(root, name), join(folder, name), { recursive: true });
  copyPackages(join(root, "node_modules"), join(folder, "node_modules"));
  const script = join(folder, ".github/scripts/build.mjs");
  execFileSync(process.execPath, [script], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return join(folder, "dist");
}

/** Hard links where the file system allows: a symbolic link would lead the bundler back to this folder. */
function copyPackages(from: string, to: string): void {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    execFileSync("cp", ["-a", from, to], { stdio: "inherit" });
  }
}

/** Every file below a folder, by its path in it. */
export async function filesOf(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pairs = paths.sort().map(async (path) => [relative(folder, path), await readFile(path)] as const);
  return new Map(await Promise.all(pairs));
}

/** Paths that only one side has, or that differ by a byte. */
export function differences(
  some: ReadonlyMap<string, Buffer>,
  others: ReadonlyMap<string, Buffer>,
): readonly string[] {
  const paths = [...new Set([...some.keys(), ...others.keys()])].sort();
  return paths.filter((path) => {
    const [a, b] = [some.get(path), others.get(path)];
    return a === undefined || b === undefined || !a.equals(b);
  });
}
