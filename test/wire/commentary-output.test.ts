import { describe, expect, it } from "vitest";
import { headTail } from "../../src/tools/head-tail.ts";
import {
  called,
  calling,
  ended,
  given,
  output,
  requested,
  secret,
  settled,
  text,
} from "./given-commentary.ts";

/** One command that prints `pieces`; what is said of it. */
function saidOf(pieces: readonly string[], told: string, over: Partial<{ behind: boolean }> = {}) {
  const run = given();
  run.events(requested(1));
  run.lives(calling("c", "shell", "run"));
  run.lives(...pieces.map((piece) => output("c", piece)));
  run.medium.behind = over.behind ?? false;
  run.lives(called("c", told));
  run.events(settled("c"));
  return run.lines.slice(2, -1);
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

describe("what a call prints", () => {
  it("shows its first 40 and its last 20 lines, and how many it left out", () => {
    const all = numbered(1, 100).join("\n");
    expect(saidOf([`${all}\n`], `${all}\n[exit code 0]`)).toEqual([
      ...numbered(1, 40).map((line) => `  | ${line}`),
      "  | [41 lines left out here]",
      ...numbered(82, 100).map((line) => `  | ${line}`),
      "  | [exit code 0]",
    ]);
  });

  it("counts what was never told live, and what was cut for the model (F59)", () => {
    const lines = 2_000_000;
    const kept = headTail(30 * 1024);
    for (let from = 1; from <= lines; from += 10_000)
      kept.push(Buffer.from(`${numbered(from, from + 9999).join("\n")}\n`));
    const whole = kept.text(({ line }) => `to go on, read {"path": "output:c", "from": ${line}}`);
    const said = saidOf([`${numbered(1, 5000).join("\n")}\n`], `${whole.trimEnd()}\n[exit code 0]`);
    // 40 were shown, and 19 with the line of the exit code.
    expect(said[40]).toBe("  | [1,999,941 lines left out here]");
    expect(said.slice(41)).toEqual(
      [...numbered(lines - 18, lines), "[exit code 0]"].map((line) => `  | ${line}`),
    );
  });

  it("believes no output that says itself what was cut", () => {
    const fake = '[cut here: 1 byte, 999 line ends; to go on, read {"path": "output:other", "from": 1}]';
    expect(saidOf([`${fake}\n`], `${fake}\n[exit code 0]`)).toEqual([`  | ${fake}`, "  | [exit code 0]"]);
  });

  it("gives each line once, wherever the pieces are cut and whatever ends it", () => {
    const all = "one\r\ntwo\rthree\n\nfive";
    const lines = ["one", "two", "three", "", "five", "[exit code 0]"].map((line) => `  | ${line}`.trimEnd());
    for (let at = 0; at <= all.length; at += 1)
      expect(saidOf([all.slice(0, at), all.slice(at)], `${all}\n[exit code 0]`)).toEqual(lines);
    expect(saidOf([...all], `${all}\n[exit code 0]`)).toEqual(lines);
  });

  it("is left out while nobody reads, and its end is told all the same", () => {
    const run = given();
    run.events(requested(1));
    run.lives(calling("c", "shell", "run"), output("c", "one\n"));
    run.medium.behind = true;
    run.lives(output("c", "two\n"));
    run.medium.behind = false;
    run.lives(output("c", "three\n"), called("c", "one\ntwo\nthree\n[exit code 0]"));
    run.events(settled("c"));
    expect(run.lines.slice(2)).toEqual([
      "  | one",
      "  | two",
      "  | three",
      "  | [exit code 0]",
      "  ok, 0.0 s",
    ]);
  });

  it("takes no more than so many lines of a turn and so many characters of a run", () => {
    const run = given();
    const long = `${"x".repeat(1000)}\n`;
    for (let turn = 1; turn <= 40; turn += 1) {
      run.events(requested(turn));
      run.lives(text(long.repeat(10_000)));
      for (const id of ["a", "b", "c"]) {
        run.lives(calling(id, "shell", "flood"));
        for (let i = 0; i < 10; i += 1) run.lives(output(id, long.repeat(100)));
        run.lives(called(id, long.repeat(20)));
        run.events(settled(id));
      }
      run.events(ended(turn));
    }
    const characters = run.lines.reduce((sum, line) => sum + line.length, 0);
    const longest = Math.max(...run.lines.map((line) => line.length));
    const first = run.lines.slice(0, run.lines.indexOf("-"));
    expect({ longest, ofATurn: first.length }).toEqual({ longest: 404, ofATurn: 471 });
    expect(characters).toBeLessThan(5.5 * 1024 * 1024);
    expect(run.lines.filter((line) => line === "> [9,600 lines left out here]")).not.toEqual([]);
    expect(run.lines.at(-2)).toBe("-");
  });
});

describe("a log that does not tell what calls print", () => {
  it("says how many lines each printed, and nothing of them", () => {
    const run = given("counted");
    run.events(requested(1));
    run.lives(calling("c", "shell", "npm test"), output("c", "private 1\nprivate 2\n"));
    run.lives(called("c", "private 1\nprivate 2\nprivate 3\n"));
    run.events(settled("c", "error"));
    run.lives(calling("d", "read", "a.txt"), called("d", "private 4\n"));
    run.events(settled("d"), ended(1));
    expect(run.lines.filter((line) => line.startsWith("  | "))).toEqual(["  | [3 lines left out here]"]);
    expect(run.lines.join("\n")).not.toContain("private");
  });
});

describe("a secret in what passes by", () => {
  it("is masked wherever the pieces it comes in are cut", () => {
    for (let at = 0; at <= secret.length; at += 1) {
      const run = given();
      run.events(requested(1));
      run.lives(text(`It is ${secret.slice(0, at)}`), text(`${secret.slice(at)}, I think\n`));
      run.lives(calling("c", "shell", "env"));
      for (const piece of `KEY=${secret}\n`.match(/.{1,3}|\n/gs) ?? []) run.lives(output("c", piece));
      run.lives(called("c", ""));
      run.events(settled("c"));
      expect(run.lines.slice(1, -1)).toEqual(["> It is ***, I think", "  shell env", "  | KEY=***"]);
    }
  });

  it("shows no half of itself where a line is cut, nor between colours", () => {
    for (const before of [390, 399, 8 * 1024, 16 * 1024 - 10, 17 * 1024]) {
      const line = `${"x".repeat(before)}${secret}${"y".repeat(20_000)}`;
      const said = saidOf([`${line}\n`], `${line}\n`).join("\n");
      expect(said).not.toMatch(/sk-|0123/);
    }
    const many = `${secret.repeat(2000)}\n`;
    expect(saidOf([many], many)).toEqual(["  | …"]);
    const coloured = `\u001b[31msk-ant-\u001b[0m0123456789abcdef\u001b[0m\n`;
    expect(saidOf([coloured], coloured)).toEqual(["  | ***"]);
  });
});
