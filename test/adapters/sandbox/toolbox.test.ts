import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxKind } from "../../../src/adapters/sandbox/kind.ts";
import { sandboxToolbox } from "../../../src/adapters/sandbox/toolbox.ts";
import { limits } from "../../../src/base/limits.ts";
import type { ToolCall } from "../../../src/loop/toolbox.ts";
import { tools } from "../../../src/tools/all.ts";
import { type ToolboxWorld, toolboxContract } from "../../contracts/toolbox.ts";
import {
  type Bench,
  bestKind,
  isAlive,
  makeBench,
  makeFifo,
  openAt,
  processesOf,
  untilGone,
} from "./bench.ts";

const kind = await bestKind();
const { signal } = new AbortController();
const quiet = () => undefined;

async function toolboxAt(bench: Bench) {
  const sandbox = await openAt(bench, { tools: true });
  return { sandbox, toolbox: sandboxToolbox(sandbox, { tools, commandTools: ["shell"] }) };
}

async function makeWorld(worldKind: SandboxKind): Promise<ToolboxWorld> {
  const bench = makeBench(worldKind);
  writeFileSync(join(bench.workspace, "note.txt"), "the text to read\n");
  const { sandbox, toolbox } = await toolboxAt(bench);
  return {
    toolbox,
    read: { tool: "read", arguments: { path: "note.txt" } },
    change: { tool: "write", arguments: { path: "new.txt", content: "new\n" } },
    hasChanged: () => existsSync(join(bench.workspace, "new.txt")),
    endless: { tool: "shell", arguments: { command: "echo begun; sleep 600" } },
    failing: { tool: "read", arguments: { path: "no/such/file" } },
    [Symbol.asyncDispose]: async () => {
      await sandbox[Symbol.asyncDispose]();
      bench[Symbol.dispose]();
    },
  };
}

describe.skipIf(kind === null)("the toolbox of a sandbox", () =>
  toolboxContract(() => makeWorld(kind ?? "root")),
);
describe("the toolbox with the sandbox off", () => toolboxContract(() => makeWorld("off")));

describe.skipIf(kind === null)("tools in a sandbox", () => {
  const shell = (command: string, id = "call_shell"): ToolCall => ({
    id,
    tool: "shell",
    arguments: { command },
    attachment: null,
  });

  it("leave no process of a call behind when it is answered (F58)", async () => {
    using bench = makeBench(kind ?? "root");
    makeFifo(join(bench.workspace, "fifo"));
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    const leave = "setsid sh -c 'cat fifo' >/dev/null 2>&1 & (nohup cat fifo >/dev/null 2>&1 &) ; echo done";
    expect((await toolbox.run(shell(leave), { signal, onOutput: quiet })).status).toBe("ok");
    const commands = processesOf(sandbox.process.pid).map((pid) => commandLine(pid));
    expect(commands.filter((line) => /cat.fifo/.test(line))).toEqual([]);
  });

  it("never begin when they are aborted on the way", async () => {
    using bench = makeBench(kind ?? "root");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    const controller = new AbortController();
    const { id: callId, ...late } = shell("touch begun; sleep 600");
    const asked = sandbox.ask(
      { type: "call", exclusive: true, msMax: 60_000, callId, ...late },
      { signal: controller.signal, onOutput: quiet },
    );
    controller.abort();
    expect((await asked).status).toBe("killed");
    expect((await toolbox.run(shell("echo calm"), { signal, onOutput: quiet })).output).toContain("calm");
    expect(existsSync(join(bench.workspace, "begun"))).toBe(false);
  });

  it("run a command alike at the top and in a directory of the workspace: no capability, none to gain, one uid", async () => {
    using bench = makeBench(kind ?? "root");
    mkdirSync(join(bench.workspace, "below"));
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    const command = "id -u; grep -E '^(Cap|NoNewPrivs|Groups)' /proc/self/status; env | sort; pwd";
    const there = (dir: string | null) => {
      const call = { ...shell(command), arguments: { command, ...(dir === null ? {} : { dir }) } };
      return toolbox.run(call, { signal, onOutput: quiet });
    };
    const [top, below] = [await there(null), await there("below")];
    expect(top.status).toBe("ok");
    expect(below.output.replaceAll("/workspace/below", "/workspace")).toBe(top.output);
    expect(top.output).toMatch(/NoNewPrivs:\s1/);
    expect([...top.output.matchAll(/^Cap\w+:\s0+$/gm)]).toHaveLength(5);
  });

  it("survive a call that kills everything it can", async () => {
    using bench = makeBench(kind ?? "root");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    // The kernel spares the caller, so the command itself ends well.
    const run = await toolbox.run(shell("kill -KILL -1; echo alone"), { signal, onOutput: quiet });
    expect(run).toMatchObject({ status: "ok", output: "alone\n[exit code 0]" });
    const next = await toolbox.run(shell("echo next"), { signal, onOutput: quiet });
    expect(next).toMatchObject({ status: "ok", output: expect.stringContaining("next") });
  });

  it("see what the workspace holds and nothing above it", async () => {
    using bench = makeBench(kind ?? "root");
    mkdirSync(join(bench.workspace, ".git"));
    writeFileSync(join(bench.masked, "key"), "secret");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    for (const path of [join(bench.masked, "key"), "../proc/1/environ", "/etc/passwd"]) {
      const run = await toolbox.run(
        { id: "call_1", tool: "read", arguments: { path }, attachment: null },
        { signal, onOutput: quiet },
      );
      expect([path, run.status]).toEqual([path, "error"]);
    }
    const write = await toolbox.run(
      { id: "call_2", tool: "write", arguments: { path: ".git/hooks/x", content: "x" }, attachment: null },
      { signal, onOutput: quiet },
    );
    expect(write.status).toBe("error");
  });

  it("work on files that were written from outside, once they are given to them", async () => {
    using bench = makeBench(kind ?? "root");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    writeFileSync(join(bench.workspace, "later.txt"), "one\n", { mode: 0o600 });
    await sandbox.own();
    const run = await toolbox.run(shell("cat later.txt; echo two >> later.txt"), { signal, onOutput: quiet });
    expect(run).toMatchObject({ status: "ok", output: expect.stringContaining("one") });
    expect(readFileSync(join(bench.workspace, "later.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("bound a flood: the output, what is kept whole, and what is live (F59)", async () => {
    using bench = makeBench(kind ?? "root");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    let live = 0;
    const run = await toolbox.run(shell("yes 0123456789 | head -c 30000000"), {
      signal,
      onOutput: (text) => {
        live += Buffer.byteLength(text);
      },
    });
    expect(run.status).toBe("ok");
    expect(Buffer.byteLength(run.output)).toBeLessThanOrEqual(30 * 1024);
    expect(Buffer.byteLength(run.whole ?? "")).toBeLessThanOrEqual(limits.storedOutputBytesMax);
    expect(live).toBeLessThanOrEqual(256 * 1024);
    const lines = (run.whole ?? "").split("\n").length;
    const last = { path: "output:call_1", from: lines - 1 };
    const page = await toolbox.run(
      { id: "call_2", tool: "read", arguments: last, attachment: run.whole },
      { signal, onOutput: quiet },
    );
    expect(page.output).toMatch(/^ *\d+\t0123456789\n *\d+\t\d+\n\[no line end after the last line\]$/);
  });

  it("are all there are: a tool that is not known is an error", async () => {
    using bench = makeBench(kind ?? "root");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    const run = await toolbox.run(
      { id: "call_1", tool: "nothing", arguments: {}, attachment: null },
      { signal, onOutput: quiet },
    );
    expect(run).toMatchObject({ status: "error", output: expect.stringContaining("nothing") });
  });
});

describe("tools with the sandbox off", () => {
  it("leave no process of an aborted call behind, nor of one that was running at the end", async () => {
    using bench = makeBench("off");
    const { sandbox, toolbox } = await toolboxAt(bench);
    const run = (controller: AbortController, onBegun: () => void) =>
      toolbox.run(
        { id: "call_1", tool: "shell", arguments: { command: "echo begun; sleep 600" }, attachment: null },
        { signal: controller.signal, onOutput: (text) => text.includes("begun") && onBegun() },
      );
    // The process for tools, the shell that it started and what that started so far.
    const family = () => processesOf(sandbox.process.pid);
    const controller = new AbortController();
    let running: readonly number[] = [];
    await run(controller, () => {
      running = family();
      controller.abort();
    });
    expect(running.length).toBeGreaterThan(1);
    expect(running.filter(isAlive)).toEqual([]);
    const begun = Promise.withResolvers<void>();
    const lost = expect(run(new AbortController(), begun.resolve)).rejects.toThrow(/the sandbox was lost/);
    await begun.promise;
    running = family();
    await sandbox[Symbol.asyncDispose]();
    await lost;
    await untilGone(running);
  });
});

describe("the class of shell", () => {
  it("is workspace in a sandbox and external without one", async () => {
    using bench = makeBench("off");
    const { sandbox, toolbox } = await toolboxAt(bench);
    await using _ = sandbox;
    const classes = Object.fromEntries(toolbox.specs.map((spec) => [spec.name, spec.class]));
    expect(classes).toMatchObject({ shell: "external", edit: "workspace", read: "read" });
    const inside = sandboxToolbox({ ...sandbox, kind: "root" }, { tools, commandTools: ["shell"] });
    expect(inside.specs.find((spec) => spec.name === "shell")?.class).toBe("workspace");
  });
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
