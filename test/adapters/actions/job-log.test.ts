import { spawn } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { harmless } from "../../../src/adapters/actions/harmless.ts";
import { jobLog } from "../../../src/adapters/actions/job-log.ts";
import { maskOf } from "../../../src/base/masking.ts";
import { parseWorkflowCommand } from "../../kit/runner/workflow-command.ts";
import { captured } from "./captured.ts";

const secret = "sk-ant-0123456789";
const mask = maskOf([secret]);

/** What the runner would make of each line, if it knew every command there could be. */
function commandsIn(text: string) {
  // The runner's own reader ends a line at either character.
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => parseWorkflowCommand(line, () => true))
    .filter((command) => command !== undefined);
}

const hostile = [
  "::set-output name=outcome::pull-request",
  "  ::add-mask::a",
  "\t::stop-commands::x",
  "\u0085::error::x",
  "\u00a0::error::x",
  "\u3000::error::x",
  "\ufeff::error::x",
  "\u200b::error::x",
  "\u001b[31m::error file=a,line=1::x",
  "first\r::error::x",
  "first\r\n::error::x",
  "first\n\n ::error::x",
  "first\u2028::error::x",
  "first\u000b::error::x",
  "##[add-mask]a",
  "text before ##[error]x",
  "###[error]x",
  "##\u0000[error]x",
  "##[##[error]x]",
  "::debug::##[warning file=a;line=1]x",
];

describe("the job's log", () => {
  it.each(hostile.map((text) => [JSON.stringify(text), text]))("never makes a command of %s", (_, text) => {
    expect(commandsIn(harmless(text))).toEqual([]);
  });

  it("never makes a command of any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "::",
        ":",
        "##[",
        "#",
        "[",
        "]",
        "error",
        "\r",
        "\n",
        "\t",
        " ",
        "\u0085",
        "\u2028",
        "\u001b",
      ),
      fc.string({ unit: "binary" }),
    );
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        expect(commandsIn(harmless(text))).toEqual([]);
      }),
    );
  });

  it("leaves ordinary text as it is", () => {
    const text = "src/a.ts:3:1\n\tstd::vector<int> a; // naïve 日本 👍🏽\n# heading\n## [link](x)\n";
    expect(harmless(text)).toBe(text);
  });

  it("says what it is given in lines that are no commands, masked", async () => {
    const { lines } = await captured({}, () => {
      const log = jobLog(mask);
      for (const text of hostile) log.say(`${text} ${secret}`);
      using _ = log.group("a group\n::error::x");
    });
    const commands = lines.flatMap((line) => commandsIn(line)).map(({ command, data }) => [command, data]);
    expect(commands).toEqual([
      ["group", "a group"],
      ["endgroup", ""],
    ]);
    expect(lines.join("\n")).not.toContain(secret);
  });

  it("keeps an annotation one command, whatever its text", async () => {
    const { lines } = await captured({}, () => {
      for (const text of hostile) jobLog(mask).warn(`${text}\n${secret}`);
    });
    const commands = lines.flatMap((line) => commandsIn(line));
    expect(commands.map(({ command }) => command)).toEqual(hostile.map(() => "warning"));
    expect(commands.every(({ data }) => data.includes("***") && !data.includes(secret))).toBe(true);
    expect(commands.every(({ data }) => commandsIn(data).length === 0)).toBe(true);
  });

  it("knows when the runner has a lot to read, and does not wait for it", async () => {
    const file = new URL("../../../src/adapters/actions/job-log.ts", import.meta.url).href;
    const script = `
      const { jobLog } = await import(${JSON.stringify(file)});
      const log = jobLog((text) => text);
      const before = log.isBehind();
      let lines = 0;
      for (; !log.isBehind() && lines < 100_000; lines += 1) log.say("x".repeat(999));
      process.stderr.write(JSON.stringify({ before, lines }), () => process.exit(0));
    `;
    // Its output goes into a pipe that nobody reads.
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    const told: { before: boolean; lines: number } = JSON.parse((await child.stderr.toArray()).join(""));
    expect(told.before).toBe(false);
    expect(told.lines).toBeGreaterThan(200);
    expect(told.lines).toBeLessThan(5000);
  });

  it("cuts what is too long, and a cut shows no half of a secret", async () => {
    const { lines } = await captured({}, () =>
      jobLog(mask).warn(`${"x".repeat(3990)}${secret}${"y".repeat(100)}`),
    );
    expect(lines.join("")).not.toContain(secret.slice(0, 8));
  });
});
