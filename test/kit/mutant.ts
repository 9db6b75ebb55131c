// Builds the action with one line changed, to show that a test notices. Only for tests: slow, and never committed.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { newFolder } from "./folder.ts";

export type Mutation = {
  /** A compiled file, such as `app/resume.js`. */
  readonly file: string;
  /** Must stand in the file exactly once, so that moving the line fails loudly instead of mutating nothing. */
  readonly find: string;
  readonly replace: string;
};

export type Mutant = Disposable & {
  /** Holds action.yml and dist/: `main` is built from the changed source, the rest is the repository's own. */
  readonly actionDir: string;
};

const root = resolve(import.meta.dirname, "../..");

/** Throws when a mutation does not apply. */
export async function buildMutant(mutations: readonly Mutation[]): Promise<Mutant> {
  const dir = newFolder("mutant");
  const dispose = () => rmSync(dir, { recursive: true, force: true });
  try {
    compile(dir);
    for (const mutation of mutations) mutate(join(dir, "lib"), mutation);
    const actionDir = join(dir, "action");
    mkdirSync(join(actionDir, "dist"), { recursive: true });
    for (const part of ["action.yml", "dist/post", "dist/toolhost"]) {
      if (existsSync(join(root, part))) cpSync(join(root, part), join(actionDir, part), { recursive: true });
    }
    unshare(join(actionDir, "dist/post"));
    await bundle(join(dir, "lib/main.js"), join(actionDir, "dist/main"));
    return { actionDir, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** `post` takes chunks of `main`, and a mutant's are others: it gets the repository's own. */
function unshare(post: string): void {
  if (!existsSync(post)) return;
  for (const name of readdirSync(post)) {
    const shared = /^export \* from "(\.\.\/main\/[^"]+)";\s*$/.exec(readFileSync(join(post, name), "utf8"));
    if (shared?.[1] !== undefined) cpSync(join(root, "dist/post", shared[1]), join(post, name));
  }
}

function compile(dir: string): void {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const project = join(root, ".github/tsconfig.build.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--noCheck", "--outDir", join(dir, "lib")], {
    stdio: "inherit",
  });
  writeFileSync(join(dir, "package.json"), readFileSync(join(root, "package.json")));
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
}

function mutate(lib: string, { file, find, replace }: Mutation): void {
  const path = join(lib, file);
  const source = readFileSync(path, "utf8");
  const times = source.split(find).length - 1;
  if (times !== 1)
    throw new Error(`cannot mutate ${file}: ${JSON.stringify(find)} stands in it ${times} times, not once`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
}

/** In a tenth of the time that the build takes: what is proved is what the mutation does, not how it is packed. */
async function bundle(input: string, out: string): Promise<void> {
  await using packed = await rolldown({ input, platform: "node", logLevel: "warn", plugins: [withoutOidc] });
  await packed.write({ dir: out, format: "esm", entryFileNames: "index.js" });
  writeFileSync(join(out, "package.json"), '{"type":"module"}\n');
}

/** Left out by the build, too. */
const withoutOidc: Plugin = {
  name: "without-oidc",
  resolveId: (id) => (id.endsWith("/oidc-utils.js") ? { id: "node:path", external: true } : null),
};
