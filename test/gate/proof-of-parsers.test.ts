import { expect, it } from "vitest";
import { countsIn } from "../../src/gate/counts.ts";
import { proofOf } from "../../src/gate/proof.ts";
import type { Told } from "../../src/gate/ran.ts";

const told = (exitCode: number, output: string): Told => {
  return { exitCode, timedOut: false, ms: 1, output, counts: countsIn(output) };
};
const summed = (passed: number, failed: number) =>
  `# tests ${passed + failed}\n# pass ${passed}\n# fail ${failed}\n`;

it.each([
  ["✖ reads numbers (1ms)\n  SyntaxError: Unexpected token 'x'", 5, "proved"],
  ["✖ reads numbers (1ms)\n  SyntaxError: Unexpected token 'x'", 4, "not-provable"],
  ["SyntaxError: Unexpected token\n✖ test/sum.test.mjs (20ms)", 5, "not-provable"],
  ["not ok 1 - test/sum.test.mjs\n  SyntaxError: Unexpected token", 5, "not-provable"],
])(
  "takes text that is no code for what a test is about where all tests have run: %j, %i of 5",
  (said, passed, kind) => {
    const onBase = told(0, summed(5, 0));
    const onTests = told(1, `${said}\n${summed(passed, 1)}`);
    expect(proofOf({ onBase, onTests, onTree: told(0, summed(6, 0)) }).kind).toBe(kind);
  },
);
