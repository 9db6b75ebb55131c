import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../kit/repositories.ts";
import { eventsOf, fix, givenTerminal, sandboxed, sessionIn, shell, type Terminal } from "./given.ts";

/** Everything in which a person would see that somebody had been there. */
function checkoutOf({ repository }: Terminal) {
  return {
    head: readFileSync(join(repository, ".git/HEAD"), "utf8"),
    index: readFileSync(join(repository, ".git/index")).toString("base64"),
    status: git(repository, ["status", "--porcelain=v2", "--branch", "--untracked-files=all"]),
    files: git(repository, ["hash-object", "n.txt", "check.sh", "mine.txt"]),
  };
}

describe("run", () => {
  it("leaves exactly the tree that passed on a new branch, and the checkout as it was", async () => {
    using terminal = givenTerminal();
    const { repository, sessions } = terminal;
    writeFileSync(join(repository, "mine.txt"), "not committed\n");
    writeFileSync(join(repository, "check.sh"), "true # staged\n");
    git(repository, ["add", "check.sh"]);
    const before = checkoutOf(terminal);
    const model = terminal.script([
      { text: "I look first.", calls: [{ name: "read", input: { path: "n.txt" } }] },
      { calls: [{ name: "edit", input: { path: "n.txt", old: "n = 1", new: "n = 3" } }] },
      { text: "It is done, I think." },
      { calls: [{ name: "edit", input: { path: "n.txt", old: "n = 3", new: "n = 2" } }] },
      { text: "Make n two\n\nThe check wants it." },
    ]);
    const { exit, out } = await terminal.run("run", "make n", "two", "--model", model);
    const session = sessionIn(out);
    const branch = `agent/task-${session}`;
    expect(exit, out).toBe(0);
    expect(checkoutOf(terminal)).toEqual(before);
    expect(git(repository, ["branch", "--format=%(refname:short)"]).split("\n")).toEqual([branch, "main"]);
    const passed = eventsOf(terminal, session).find((event) => event.type === "gate.passed");
    expect(git(repository, ["rev-parse", `${branch}^{tree}`])).toBe(passed?.["tree"]);
    expect(git(repository, ["show", "--no-patch", "--format=%an <%ae>, %cn <%ce>: %s", branch])).toBe(
      "baton <baton@localhost>, baton <baton@localhost>: Make n two",
    );
    expect(git(repository, ["diff", "--name-status", `main...${branch}`])).toBe("M\tn.txt");
    expect(git(repository, ["fsck", "--strict", "--no-dangling"])).toBe("");
    const lines = out.trimEnd().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "turn 1",
        "> I look first.",
        "  read n.txt",
        "gate, round 1: red",
        "the findings of the gate go back to the model",
        "turn 4",
        "  edit n.txt",
        `gate, round 2: passed on tree ${String(passed?.["tree"]).slice(0, 12)}`,
      ]),
    );
    expect(lines.slice(-3)).toEqual([
      `pull-request (pushed): A commit is on ${branch}; the checks ran on exactly its tree.`,
      `branch ${branch} at ${git(repository, ["rev-parse", branch])}`,
      `session ${session}: 5 turns, 0.00 USD, kept in ${sessions}`,
    ]);
    expect(readdirSync(join(sessions, "runs"))).toEqual([]);
    const records = eventsOf(terminal, session).length;
    expect(await terminal.run("verify", session)).toEqual({
      exit: 0,
      out: `${session}: whole, ${records} records, generation 1, ended (pushed)\n`,
    });
    expect(await terminal.run("resume", session)).toMatchObject({
      exit: 1,
      out: expect.stringContaining("refused (ended): The session ended (pushed); run begins a new one."),
    });
  });

  it("begins on the named branch with the checks and the sandbox that are asked for, and leaves what was held back in a file", async () => {
    using terminal = givenTerminal({ files: { "a.txt": "one\n" } });
    const { repository } = terminal;
    git(repository, ["branch", "other"]);
    git(repository, ["checkout", "--quiet", "--detach"]);
    const model = terminal.script([
      { calls: [{ name: "write", input: { path: "b.txt", content: "two\n" } }] },
      { calls: [{ name: "write", input: { path: ".github/workflows/a.yml", content: "on: push\n" } }] },
      { text: "Add b" },
      { calls: [shell("rm -r .github")] },
      { text: "Add b" },
    ]);
    const words = [
      "run",
      "add b",
      "--base",
      "other",
      "--check",
      "test -f b.txt",
      "--model",
      model,
      "--no-sandbox",
    ];
    const { exit, out } = await terminal.run(...words);
    expect(exit, out).toBe(0);
    expect(out).toContain(" of other, with scripted;");
    expect(out).toContain("sandbox: off");
    expect(git(repository, ["show", `agent/task-${sessionIn(out)}:b.txt`])).toBe("two");
    const [, apply = ""] = /^what was held back: git (.*)$/m.exec(out) ?? [];
    git(repository, apply.split(" "));
    expect(git(repository, ["show", ":.github/workflows/a.yml"])).toBe("on: push");
  });

  it("shows the key nowhere and hands it to nothing", async () => {
    const key = "sk-ant-0123456789abcdef";
    using terminal = givenTerminal({ env: { ANTHROPIC_API_KEY: key } });
    const halves = [key.slice(0, 11), key.slice(11)].join(" ");
    const model = terminal.script([
      { text: `Is it ${key}?`, calls: [shell(`echo ${key} > key.txt`)] },
      { calls: [shell(`env > variables.txt; printf '%s%s\\n' ${halves}`)] },
      { text: "Nothing more" },
    ]);
    const { out } = await terminal.run("run", "look", "--model", model, "--check", "true");
    const session = sessionIn(out);
    const log = readFileSync(join(terminal.sessions, session, "events.jsonl"), "utf8");
    const branch = `agent/task-${session}`;
    const shown = git(terminal.repository, ["show", `${branch}:variables.txt`]);
    expect(out).toContain("> Is it ***?\n");
    expect(out).toContain("  not-run: shell echo *** > key.txt\n");
    // A check on base comes out beside the work, between any two of its lines.
    expect(out.replaceAll(/^ {2}on base, beside the work: .*\n/gm, "")).toMatch(
      /^ {2}shell env > variables\.txt; printf .*\n {2}\| \*\*\*\n {2}\| \[exit code 0\]\n {2}ok, /m,
    );
    expect(log).toContain("Is it ***?");
    expect([out, log, shown].filter((text) => text.includes(key))).toEqual([]);
    expect(git(terminal.repository, ["ls-tree", "--name-only", branch])).not.toContain("key.txt");
    expect(shown).not.toContain("ANTHROPIC");
  });
});

describe("resume", () => {
  it.skipIf(!sandboxed)(
    "finishes what a kill interrupted, and repeats nothing that was settled",
    async () => {
      using terminal = givenTerminal();
      const { repository } = terminal;
      const model = terminal.script([
        { calls: [shell("echo once >> count.txt")] },
        { calls: [shell("echo twice >> count.txt; mkfifo pipe; cat pipe")] },
        { calls: [fix] },
        { text: "Make n two" },
      ]);
      const started = terminal.start("run", "make n two", "--model", model);
      await started.printed(/ {2}shell echo twice/);
      const session = await sessionOf(terminal);
      expect(await terminal.run("resume", session)).toMatchObject({
        exit: 1,
        out: expect.stringContaining(`refused (busy): Process ${started.pid} works on ${session}`),
      });
      expect((await terminal.run("verify", session)).out).toContain(`process ${started.pid} works on it`);
      process.kill(started.pid, "SIGKILL");
      await started.ended;
      const killed = await terminal.run("verify", session);
      expect(killed.out).toMatch(/: whole, \d+ records, generation 1, interrupted\n$/);

      const { exit, out } = await terminal.run("resume", session);
      expect(exit, out).toBe(0);
      expect(out).toContain("generation 2 goes on after record");
      expect(out).not.toContain("echo once");
      expect(git(repository, ["show", `agent/task-${session}:count.txt`])).toBe("once");
      const settled = eventsOf(terminal, session).filter((event) => event.type === "call.settled");
      expect(settled.map((event) => event["status"])).toEqual(["ok", "rolled-back", "ok"]);
      expect((await terminal.run("verify", session)).out).toContain("generation 2, ended (pushed)");
    },
  );

  it.skipIf(!sandboxed)("goes on after Ctrl-C, as the last line says", async () => {
    using terminal = givenTerminal();
    const model = terminal.script([
      { calls: [shell("mkfifo /tmp/pipe; cat /tmp/pipe")] },
      { calls: [fix] },
      { text: "Make n two" },
    ]);
    const started = terminal.start("run", "make n two", "--model", model);
    await started.printed(/ {2}shell mkfifo/);
    process.kill(started.pid, "SIGINT");
    const { exit, out } = await started.ended;
    const session = sessionIn(out);
    expect(exit, out).toBe(130);
    expect(out).toContain("suspended (cancelled): ");
    expect(out.trimEnd().split("\n").at(-1)).toBe(`go on with: ${terminal.program} resume ${session}`);
    const resumed = await terminal.run("resume", session);
    expect(resumed.exit, resumed.out).toBe(0);
    expect(resumed.out).toContain("pull-request (pushed): ");
  });

  it("goes on with a larger budget, refuses without one, and survives being killed itself", async () => {
    using terminal = givenTerminal();
    const model = terminal.script([{ calls: [fix] }, { text: "Make n two" }]);
    const first = await terminal.run("run", "make n two", "--model", model, "--max-turns", "1");
    const session = sessionIn(first.out);
    expect(first.exit, first.out).toBe(0);
    expect(first.out).toContain("suspended (turns): ");
    const [begun] = readdirSync(join(terminal.sessions, "shelf"));
    const again = await terminal.run("resume", session);
    expect(again.exit, again.out).toBe(1);
    expect(again.out).toContain("refused (exhausted): ");
    // What a kill leaves that hits a resume while it writes the files anew: the run that shelved them is named.
    rmSync(join(terminal.sessions, session, "session.json"));
    const [shelved = ""] = readdirSync(join(terminal.sessions, "shelf")).filter((run) => run !== begun);
    writeFileSync(join(terminal.sessions, "orders", `${session}.rewriting`), shelved);
    const half = await terminal.run("verify", session);
    expect(half.exit).toBe(1);
    expect(half.out).toContain("resume it, and they are written again");
    const more = await terminal.run("resume", session, "--max-turns", "9");
    expect(more.exit, more.out).toBe(0);
    expect(more.out).toContain("pull-request (pushed): ");
  });
});

/** The one session that a terminal has begun. */
async function sessionOf({ sessions }: Terminal): Promise<string> {
  return sessionIn(readdirSync(sessions).join(" "));
}
