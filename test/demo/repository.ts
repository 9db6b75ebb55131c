// The repository of the demo: a real package with a real bug, and what its tests need, offline.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";

/** The development dependency under whose alias fastq 1.16.0 (ISC) is installed. Nothing of it is committed here. */
const alias = "fastq-1-16-0";

export const check = "node_modules/.bin/tape test/test.js test/promise.js";

/** `modules` names the directory that stands for the package registry, `journal` the one of the tools' journal. */
export const variables = { modules: "FASTQ_MODULES", journal: "BATON_DEMO_JOURNAL" } as const;

const agentYml = `# The demo is offline, so setup copies the packages that the tests need instead of fetching them.
env: [${variables.modules}, ${variables.journal}]
setup:
  - mkdir -p node_modules && cp -r "$${variables.modules}"/. node_modules/
checks:
  - { name: test, run: ${check}, minutes: 2, proof: true }
`;

export const issue = {
  title: "Lowering concurrency while tasks run turns the limit off",
  body: `I lower \`concurrency\` when the machine is busy. If more tasks are running at that moment than the new limit allows, the queue stops limiting altogether: everything that is pushed from then on starts at once.

Two tasks run, the limit goes from 2 to 1, six more are pushed:

\`\`\`js
const queue = require('fastq')(worker, 2)
let now = 0
let most = 0
function worker (_, done) {
  most = Math.max(most, ++now)
  setImmediate(() => { now--; done() })
}
queue.push(1)
queue.push(2)
queue.concurrency = 1
for (let i = 0; i < 6; i++) queue.push(i)
queue.drain = () => console.log('most at once:', most)
\`\`\`

It prints 8. I expect that nothing new starts until fewer than the new limit are running.

fastq 1.16.0, Node 24.
`,
} as const;

/** The published package as the repository's first commit, with what a user of Baton adds. */
export function seedFiles(): Readonly<Record<string, Buffer | string>> {
  const root = packageDir(alias, import.meta.dirname);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const own = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(root, path).split(sep).join("/"), readFileSync(path)] as const;
  });
  return { ...Object.fromEntries(own), ".gitignore": "node_modules/\n", ".github/agent.yml": agentYml };
}

/**
 * Copies reusify and tape with everything they depend on, as `npm ci` would lay it out, but for what nobody here asks
 * for. Returns how many packages.
 */
export function copyModules(to: string): number {
  const found = new Set<string>();
  for (const name of ["reusify", "tape"]) collect(packageDir(name, import.meta.dirname), found);
  for (const dir of found) {
    const filter = (path: string) => !isLeftOut(relative(dir, path).split(sep));
    cpSync(dir, join(to, withinModules(dir)), { recursive: true, filter });
  }
  mkdirSync(join(to, ".bin"), { recursive: true });
  symlinkSync("../tape/bin/tape", join(to, ".bin", "tape"));
  return found.size;
}

/** Packages within a package are copied for themselves; the rest is half of all files, copied several times a run. */
function isLeftOut([top = "", ...rest]: readonly string[]): boolean {
  return /^(test|example|5|201\d|202[0-2])$/.test(top) || [top, ...rest].includes("node_modules");
}

function collect(dir: string, found: Set<string>): void {
  if (found.has(dir)) return;
  found.add(dir);
  const { dependencies = {} } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) collect(packageDir(name, dir), found);
}

/** Where Node would find the package, by looking at the folders: `exports` may hide its package.json. */
function packageDir(name: string, from: string): string {
  const places = createRequire(join(from, "x.js")).resolve.paths(name) ?? [];
  const at = places.map((place) => join(place, name)).find((dir) => existsSync(join(dir, "package.json")));
  if (at === undefined) throw new Error(`the package ${name} is not installed; run npm ci`);
  return at;
}

/** `tape/node_modules/x` for a package that lies in another's folder. */
function withinModules(dir: string): string {
  const parts = dir.split(sep);
  const top = parts.indexOf("node_modules");
  if (top < 0) throw new Error(`${dirname(dir)} is no folder of installed packages`);
  return parts.slice(top + 1).join(sep);
}
