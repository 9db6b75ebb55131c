// Builds dist/ from src/: `node .github/scripts/build.mjs [--out <folder>] [entry…]`.
// tsc removes the types, ncc makes one folder an entry. ncc cannot read TypeScript 7 itself.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { minifySync } from "rolldown/utils";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const lib = join(root, "lib");
const allEntries = ["main", "post", "cli", "toolhost"];
/** `post` takes from `main` what both are made of, so neither is built without the other. */
const lender = "main";
const borrower = "post";
const licensesFile = "licenses.txt";

/**
 * `@actions/core` carries a client for OpenID tokens, which nothing here asks for, and with it a whole HTTP client: two
 * thirds of the time that an event which is not for us takes. Any small module of Node stands in its place.
 */
const leftOut = { "./oidc-utils.js": "node:path" };

if (isMainThread) await build();
else await bundle(workerData.input, workerData.out);

async function build() {
  const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
  const entries = positionals.length > 0 ? withPartner(positionals) : allEntries;
  const out = resolve(root, values.out ?? "dist");
  for (const entry of entries) {
    const source = join(root, "src", `${entry}.ts`);
    if (!existsSync(source)) throw new Error(`${source} does not exist: nothing to build ${entry} from`);
  }
  await compile();
  if (positionals.length === 0) await rm(out, { recursive: true, force: true });
  await inThreads(entries, (entry) => ({ input: join(lib, `${entry}.js`), out: join(out, entry) }));
  if (entries.includes(borrower)) await borrow(join(out, borrower), join(out, lender));
}

function withPartner(entries) {
  const one = entries.includes(lender) || entries.includes(borrower);
  return one ? [...new Set([...entries, lender, borrower])] : entries;
}

/** A chunk that lies in `from` byte for byte becomes one line that takes it from there: 7 MB of 18 are the same. */
async function borrow(to, from) {
  const shared = new Set(await readdir(from));
  for (const name of await readdir(to)) {
    if (!/^\d+\.index\.js$/.test(name) || !shared.has(name)) continue;
    const [own, other] = await Promise.all([readFile(join(to, name)), readFile(join(from, name))]);
    if (own.equals(other)) await writeFile(join(to, name), `export * from "../${lender}/${name}";\n`);
  }
}

/**
 * Types are proved by `npm run types`; here they are only removed. The bundler makes its names from paths below the
 * root, so the folder has one name; each file is moved into it whole, so that two builds at once read no half file.
 */
async function compile() {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const project = join(root, ".github/tsconfig.build.json");
  await mkdir(lib, { recursive: true });
  const fresh = await mkdtemp(join(lib, "fresh-"));
  execFileSync(process.execPath, [tsc, "-p", project, "--noCheck", "--outDir", fresh], { stdio: "inherit" });
  for (const file of await readdir(fresh, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const from = join(file.parentPath, file.name);
    const to = join(lib, relative(fresh, from));
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  }
  await rm(fresh, { recursive: true });
}

async function inThreads(entries, jobOf) {
  const queue = [...entries];
  const work = async () => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await inThread(jobOf(entry));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
}

function inThread(job) {
  return new Promise((done, failed) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: job });
    let report;
    worker.once("message", (message) => {
      report = message;
    });
    worker.once("error", failed);
    worker.once("exit", (code) => {
      if (code !== 0 || report === undefined) failed(new Error(`bundling ${job.input} ended with ${code}`));
      else done(process.stdout.write(`${report}\n`));
    });
  });
}

async function bundle(input, out) {
  const started = performance.now();
  const { default: ncc } = await import("@vercel/ncc");
  const { code, assets, stats } = await ncc(input, {
    esm: true,
    license: licensesFile,
    cache: false,
    quiet: true,
    externals: leftOut,
  });
  await rm(out, { recursive: true, force: true });
  const files = { "index.js": { source: code }, ...assets };
  const licenses = String(assets[licensesFile]?.source ?? "");
  files[licensesFile] = { source: await withAllLicenses(licenses, stats.compilation.modules) };
  // The runner may have the action below a folder of another module type.
  files["package.json"] ??= { source: '{"type":"module"}\n' };
  let size = 0;
  for (const [name, { source }] of Object.entries(files)) {
    const text = name.endsWith(".js") ? smaller(name, String(source)) : source;
    size += Buffer.byteLength(text);
    await mkdir(dirname(join(out, name)), { recursive: true });
    await writeFile(join(out, name), text);
  }
  parentPort.postMessage(
    `${out}: ${Math.round(size / 1024)} kB, ${Math.round(performance.now() - started)} ms`,
  );
}

/**
 * The bundler lists the licenses of modules that stay apart, and none of those that it puts into one with the entry.
 * Most licenses ask to go along with the code.
 */
async function withAllLicenses(text, modules) {
  const listed = new Set(text.split("\n"));
  const parts = [text.trimEnd()];
  for (const [name, folder] of [...packagesOf(modules)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (listed.has(name)) continue;
    const { license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((one) => /^(licen[cs]e|copying)/i.test(one));
    const words = file === undefined ? "" : (await readFile(join(folder, file), "utf8")).trim();
    parts.push([name, license, words].join("\n").trimEnd());
  }
  return `${parts.join("\n\n")}\n`;
}

function packagesOf(modules) {
  const packages = new Map();
  for (const module of modules) {
    if (module.modules) for (const [name, folder] of packagesOf(module.modules)) packages.set(name, folder);
    const [, folder, name] =
      /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/.exec(module.resource ?? "") ?? [];
    if (folder !== undefined) packages.set(name, folder);
  }
  return packages;
}

/** The bundler's own minifier leaves the chunks alone, and they are nearly all of the size. */
function smaller(name, source) {
  const { code, errors } = minifySync(name, source, { module: true, sourcemap: false });
  if (errors.length > 0) throw new Error(`cannot minify ${name}: ${errors[0].message}`);
  return code;
}
