import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { jobLog } from "../../../src/adapters/actions/job-log.ts";
import { type Ending, outputsOf, reportEnding } from "../../../src/adapters/actions/report.ts";
import { keepForPost, keptByMain } from "../../../src/adapters/actions/state.ts";
import { maskOf } from "../../../src/base/masking.ts";
import { captured, fileCommands } from "./captured.ts";

const secret = "sk-ant-0123456789";
const mask = maskOf([secret]);

const nothing: Ending = {
  kind: "ignored",
  reason: "no-command",
  detail: "The comment holds no command.",
  resumable: false,
  exit: 0,
  session: null,
  pullRequest: null,
  patch: null,
  branch: null,
  baseSha: null,
  headSha: null,
  turns: 0,
  costUsd: 0,
  report: "",
};

async function told(ending: Ending) {
  const files = fileCommands();
  const { value, lines } = await captured(files.env, async () => {
    await reportEnding(ending, { log: jobLog(mask), mask });
    return process.exitCode;
  });
  return {
    exitCode: value,
    lines,
    outputs: files.pairs("GITHUB_OUTPUT"),
    summary: files.text("GITHUB_STEP_SUMMARY"),
  };
}

describe("the report", () => {
  it("sets every output that action.yml declares, and no other, on every path", () => {
    const action = parse(readFileSync("action.yml", "utf8")) as { outputs: object };
    expect(Object.keys(outputsOf(nothing))).toEqual(Object.keys(action.outputs));
  });

  it("tells a pull request in all places alike", async () => {
    const ending: Ending = {
      ...nothing,
      kind: "pull-request",
      reason: "opened",
      detail: "Draft pull request #7.",
      resumable: true,
      session: "s0123456789ab",
      pullRequest: { number: 7, url: "https://github.com/o/r/pull/7" },
      branch: "agent/5-s0123456789ab",
      baseSha: "a".repeat(40),
      headSha: "b".repeat(40),
      turns: 12,
      costUsd: 0.123456,
      report: "## Baton\n",
    };
    const { exitCode, lines, outputs, summary } = await told(ending);
    expect({ exitCode, lines, summary }).toEqual({
      exitCode: 0,
      lines: ["pull-request (opened): Draft pull request #7."],
      summary: "## Baton\n\n",
    });
    const { report, ...plain } = outputs;
    expect(plain).toEqual({
      "session-id": "s0123456789ab",
      outcome: "pull-request",
      reason: "opened",
      resumable: "true",
      "pull-request-number": "7",
      "pull-request-url": "https://github.com/o/r/pull/7",
      patch: "",
      branch: "agent/5-s0123456789ab",
      "base-sha": "a".repeat(40),
      "head-sha": "b".repeat(40),
      turns: "12",
      "cost-usd": "0.1235",
    });
    expect(JSON.parse(report ?? "")).toMatchObject({
      kind: "pull-request",
      detail: "Draft pull request #7.",
      turns: 12,
    });
  });

  it.each([
    ["ignored", 0, /^ignored/],
    ["no-change", 0, /^no-change/],
    ["suspended", 0, /^::warning::suspended/],
    ["gate-failed", 1, /^::error::gate-failed/],
    ["refused", 1, /^::error::refused/],
    ["refused", 0, /^refused/],
    ["failed", 1, /^::error::failed/],
  ] as const)("shows %s with exit code %i by one line", async (kind, exit, line) => {
    const { exitCode, lines } = await told({ ...nothing, kind, exit });
    expect(exitCode).toBe(exit);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(line);
  });

  it("masks secrets everywhere and lets no text become an output or a command", async () => {
    const detail = `ghadelimiter\n::set-output name=outcome::x\n##[error]${secret}\noutcome=pull-request`;
    const ending = { ...nothing, detail, reason: `a\nresumable=true ${secret}`, report: `# ${secret}` };
    const { lines, outputs, summary } = await told(ending);
    expect(JSON.stringify([lines, outputs, summary])).not.toContain(secret);
    expect(outputs).toMatchObject({ outcome: "ignored", resumable: "false" });
    expect(lines.some((line) => line.startsWith("::") || line.includes("##["))).toBe(false);
  });

  it("cuts a summary that the runner would refuse whole", async () => {
    const { summary } = await told({ ...nothing, report: "日".repeat(500_000) });
    expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
    expect(summary).toContain("The rest is left out");
  });
});

describe("state", () => {
  it("reaches post by the runner's file, the last value of each name", async () => {
    const files = fileCommands();
    await captured(files.env, () => {
      keepForPost("session", "s000000000000");
      keepForPost("session", "s0123456789ab");
      keepForPost("pid", "4711");
    });
    const kept = Object.entries(files.pairs("GITHUB_STATE")).map(([name, value]) => [`STATE_${name}`, value]);
    const { value } = await captured(Object.fromEntries(kept), keptByMain);
    expect(value).toEqual({ session: "s0123456789ab", home: null, pid: "4711", ended: null });
  });
});
