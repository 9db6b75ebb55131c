import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countsOf, lineOf, type Report } from "../.github/scripts/counts.ts";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
};

describe("the toolchain", () => {
  it("runs on Node 24, as the runner does", () => {
    expect(process.version).toMatch(/^v24\./);
  });

  it("starts Node 24 from npm scripts, whatever node the machine has", () => {
    const version = execFileSync("npm", ["exec", "--no", "--", "node", "--version"], { encoding: "utf8" });
    expect(version.trim()).toBe(process.version);
  });

  it("pins every package exactly", () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(all.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

describe("the closing line", () => {
  const test = (status: string) => ({ status });
  const report = (files: Report["testResults"], counts: Readonly<Record<string, number>> = {}) => ({
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    ...counts,
    testResults: files,
  });

  it.each([
    ["all passed", report([], { numPassedTests: 5 }), true, "7 passed, 0 failed"],
    [
      "some skipped",
      report([], { numPassedTests: 5, numPendingTests: 1, numTodoTests: 1 }),
      true,
      "7 passed, 0 failed, 2 skipped",
    ],
    [
      "a failed test",
      report([{ status: "failed", assertionResults: [test("failed")] }], { numFailedTests: 1 }),
      false,
      "2 passed, 1 failed",
    ],
    [
      "a file that did not load",
      report([{ status: "failed", assertionResults: [] }]),
      false,
      "2 passed, 1 failed",
    ],
    ["an error outside every test", report([], { numPassedTests: 5 }), false, "7 passed, 1 failed"],
    ["no report at all", null, false, "2 passed, 1 failed"],
  ])("counts %s", (_, json, passed, line) => {
    expect(lineOf(countsOf(json, { passed, checks: 2 }))).toBe(line);
  });
});
