import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { givenTerminal } from "./given.ts";

const done = [{ text: "Nothing to do" }];

describe("the command line", () => {
  it.each<[string, readonly string[], string]>([
    [
      "an unknown command",
      ["replay", "s000000000000"],
      'there is no command "replay"; the commands are run, resume, verify, help.',
    ],
    [
      "an unknown flag",
      ["run", "x", "--fast"],
      "Unknown option '--fast'; run knows --help --sessions --max-turns",
    ],
    [
      "a flag of another command",
      ["resume", "s000000000000", "--config", "x"],
      "Unknown option '--config'; resume knows",
    ],
    ["a flag without its value", ["run", "x", "--check"], "argument missing; run knows"],
    ["a run without a task", ["run", " "], "run takes the task in words"],
    [
      "a number that is none",
      ["run", "x", "--max-turns", "many"],
      '--max-turns is "many"; it takes a whole number from 1 to 10000.',
    ],
    [
      "an amount that is none",
      ["run", "x", "--max-cost-usd", "0"],
      '--max-cost-usd is "0"; it takes an amount in US dollars from 0.01 to 99999.',
    ],
    [
      "another way to publish",
      ["run", "x", "--publish", "draft"],
      '--publish is "draft"; on this machine only branch can be published.',
    ],
    [
      "a name that no model has",
      ["run", "x", "--model", "a b"],
      '--model is "a b", which is no name of a model',
    ],
    ["an empty answer", ["resume", "s000000000000", "--answer", " "], "--answer is empty."],
    ["two sessions", ["resume", "a", "b"], "resume takes one session, and was given 2."],
    [
      "a base that is not there",
      ["run", "x", "--base", "gone"],
      "has no branch gone with a commit; name one with --base.",
    ],
    [
      "a folder without a repository",
      ["run", "x", "--repo", "/"],
      "/ is in no git repository; name one with --repo.",
    ],
    ["a script that is not there", ["run", "x", "--model", "scripted:gone.json"], "gone.json"],
    [
      "a session that is not there",
      ["resume", "s000000000000"],
      "s000000000000: there is no such session in ",
    ],
    ["a session that cannot be", ["resume", "../x"], "../x: there is no such session in "],
  ])("refuses %s, says why and begins nothing", async (_, words, why) => {
    using terminal = givenTerminal();
    const { exit, out } = await terminal.run(...words);
    expect(out).toContain(why);
    expect(exit).toBe(2);
    expect(sessionsIn(terminal.sessions)).toEqual([]);
  });

  it("refuses a script with an entry that it does not know, naming the entry", async () => {
    using terminal = givenTerminal();
    const model = terminal.script([{ text: "One" }, { say: "Two" }]);
    const { exit, out } = await terminal.run("run", "x", "--model", model);
    expect(out).toMatch(/, reply 2: does not know "say"; known are text, calls, /);
    expect(exit).toBe(2);
  });

  it("ends without a request where there is no key, and leaves no session", async () => {
    using terminal = givenTerminal();
    const { exit, out } = await terminal.run("run", "x");
    expect(out).toContain("refused (not-configured): No model can be asked: ANTHROPIC_API_KEY is not set.");
    expect(exit).toBe(1);
    expect(sessionsIn(terminal.sessions)).toEqual([]);
  });

  it("sends the key to no address that is not https", async () => {
    using terminal = givenTerminal({
      env: { ANTHROPIC_API_KEY: "sk-ant-0123456789", ANTHROPIC_BASE_URL: "http://models.example" },
    });
    const { exit, out } = await terminal.run("run", "x");
    expect(out).toContain("ANTHROPIC_BASE_URL: the base URL must be https unless it is on this machine");
    expect(exit).toBe(2);
  });

  it("shows a whole configuration where the repository declares no checks", async () => {
    const manifest = JSON.stringify({ scripts: { test: "node --test" } });
    using terminal = givenTerminal({ files: { "package.json": manifest } });
    const { exit, out } = await terminal.run("run", "x", "--model", terminal.script(done));
    expect(out).toContain("refused (no-checks): ");
    expect(out).toContain("checks:");
    expect(exit).toBe(1);
    expect(sessionsIn(terminal.sessions)).toEqual([]);
  });

  it("asks for a base where no branch is checked out", async () => {
    using terminal = givenTerminal();
    writeFileSync(join(terminal.repository, ".git/HEAD"), `${"1".repeat(40)}\n`);
    const { exit, out } = await terminal.run("run", "x", "--model", terminal.script(done));
    expect(out).toContain("no branch is checked out in ");
    expect(exit).toBe(2);
  });

  it("says what it can do, and its version", async () => {
    using terminal = givenTerminal();
    const help = await terminal.run("help");
    expect(help).toMatchObject({ exit: 0, out: expect.stringContaining("verify <session or directory>") });
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(await terminal.run("--version")).toEqual({ exit: 0, out: `${version}\n` });
  });

  it("carries nothing that only GitHub needs", () => {
    const folder = resolve("dist/cli");
    const licences = readFileSync(join(folder, "licenses.txt"), "utf8");
    expect(licences).not.toMatch(/^@(actions|octokit)\//m);
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
    const heavy = scripts.filter((name) =>
      /ArtifactService|octokit/.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(heavy).toEqual([]);
  });
});

function sessionsIn(dir: string): readonly string[] {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const orders = existsSync(join(dir, "orders")) ? readdirSync(join(dir, "orders")) : [];
  return [...names.filter((name) => /^s[0-9a-f]{12}$/.test(name)), ...orders];
}
