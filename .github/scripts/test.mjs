// `npm test`: types and style first, because they are quick and everything else rests on them; then every test.
// The last line is plain: `N passed, N failed`, and `, N skipped` when some were. Arguments go to vitest.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { countsOf, lineOf } from "./counts.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = (name) => join(root, "node_modules", name);

const failedChecks = (await Promise.all([types(), style()])).filter((passed) => !passed).length;
const counts =
  failedChecks > 0 ? { passed: 2 - failedChecks, failed: failedChecks, skipped: 0 } : await tests();
console.log(lineOf(counts));
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

function types() {
  return run("types", [bin("typescript/bin/tsc"), "--noEmit", "-p", "tsconfig.json"]);
}

function style() {
  return run("style", [bin("@biomejs/biome/bin/biome"), "check", "--config-path=.github/style.jsonc", "."]);
}

async function tests() {
  const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
  const report = join(folder, "report.json");
  try {
    const passed = await run("tests", [
      bin("vitest/vitest.mjs"),
      ...["run", "--config", ".github/vitest.config.ts"],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
      ...process.argv.slice(2),
    ]);
    const text = await readFile(report, "utf8").catch(() => "null");
    return countsOf(JSON.parse(text), { passed, checks: 2 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the program ended well. Its output is seen as it comes; it gets no input. */
function run(name, args) {
  const started = performance.now();
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    child.once("error", failed);
    child.once("close", (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s`);
      done(code === 0);
    });
  });
}
