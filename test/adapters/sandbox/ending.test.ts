import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { endSandbox, type SandboxProcess } from "../../../src/adapters/sandbox/end.ts";
import { command, makeBench, makeFifo, openAt, processesOf, until, untilGone } from "./bench.ts";
import { kind, rule } from "./given-sandbox.ts";

describe.skipIf(kind === null)("a sandbox", () => {
  rule(
    "has no process left of a command when it answers, whoever held its output (F58)",
    async (sandbox, bench) => {
      makeFifo(join(bench.workspace, "fifo"));
      const escapes = [
        "cat fifo & echo started",
        "setsid cat fifo & echo started",
        "nohup setsid sh -c '(cat fifo; echo late > late) &' >/dev/null 2>&1 & echo started",
        'node -e \'require("child_process").spawn("cat",["fifo"],{detached:true,stdio:"ignore"}).unref()\'; echo started',
      ];
      const before = processesOf(sandbox.process.pid);
      for (const attempt of escapes) {
        expect(await command(sandbox, attempt)).toMatchObject({ exitCode: 0, output: "started\n" });
        expect(processesOf(sandbox.process.pid)).toEqual(before);
        expect(() =>
          openSync(join(bench.workspace, "fifo"), constants.O_WRONLY | constants.O_NONBLOCK),
        ).toThrow("ENXIO");
      }
      expect(existsSync(join(bench.workspace, "late"))).toBe(false);
    },
  );

  rule("ends a fork bomb and works afterwards (F56)", async (sandbox) => {
    const bomb = await command(sandbox, "b() { b | b & }; b; sleep 600", { msMax: 300 });
    expect(bomb.timedOut).toBe(true);
    expect((await command(sandbox, "echo calm")).output).toBe("calm\n");
  });

  rule("ends a command in the middle at an abort", async (sandbox, bench) => {
    const controller = new AbortController();
    const run = command(sandbox, "trap '' TERM INT; echo begun > begun; sleep 600; echo late > late", {
      signal: controller.signal,
    });
    await until(() => existsSync(join(bench.workspace, "begun")));
    controller.abort();
    expect(await run).toMatchObject({ exitCode: null, cancelled: true, timedOut: false });
    expect(existsSync(join(bench.workspace, "late"))).toBe(false);
  });

  rule("ends a command that is aborted before it has begun", async (sandbox, bench) => {
    const controller = new AbortController();
    const run = command(sandbox, "sleep 600; echo late > late", { signal: controller.signal });
    controller.abort();
    expect(await run).toMatchObject({ exitCode: null, cancelled: true });
    expect(existsSync(join(bench.workspace, "late"))).toBe(false);
    expect((await command(sandbox, "echo calm")).output).toBe("calm\n");
  });

  rule("tells how a command ended", async (sandbox) => {
    const codes: Record<string, number> = {
      "exit 0": 0,
      "exit 7": 7,
      "kill -9 $$": 137,
      "no-such-program": 127,
      "cd /nowhere": 1,
      "false; exit 0": 1,
    };
    for (const [text, code] of Object.entries(codes)) {
      const { exitCode } = await command(sandbox, text);
      expect([text, exitCode]).toEqual([text, code]);
    }
    const lost = await sandbox.ask(
      { type: "command", command: "true", dir: "not/there", msMax: 1000, outputBytesMax: 4096 },
      { signal: new AbortController().signal },
    );
    expect(lost.exitCode).toBe(126);
  });

  it("leaves no process and no file behind when it is closed while busy", async () => {
    using bench = makeBench(kind ?? "root");
    const sandbox = await openAt(bench);
    const run = command(sandbox, "echo begun > begun; sleep 600");
    const lost = expect(run).rejects.toThrow(/the sandbox was lost/);
    await until(() => existsSync(join(bench.workspace, "begun")));
    const inside = processesOf(sandbox.process.pid);
    await sandbox[Symbol.asyncDispose]();
    await lost;
    await untilGone([...inside, sandbox.process.pid]);
    expect(readdirSync(bench.scratch)).toEqual([]);
    await expect(command(sandbox, "true")).rejects.toThrow(/the sandbox was lost/);
  });

  it("is ended by another process that knows its outermost one, and by no other start time", async () => {
    using bench = makeBench(kind ?? "root");
    await using sandbox = await openAt(bench);
    await endSandbox({ ...sandbox.process, startedAt: "1" });
    expect((await command(sandbox, "echo alive")).output).toBe("alive\n");
    const inside = processesOf(sandbox.process.pid);
    await endSandbox(sandbox.process);
    await untilGone(inside);
    await expect(command(sandbox, "true")).rejects.toThrow(/the sandbox was lost/);
  });

  it("says why it cannot be made", async () => {
    using bench = makeBench(kind ?? "root", { node: "/no/such/node" });
    await expect(openAt(bench)).rejects.toThrow(/the sandbox was lost: .*no\/such\/node/s);
    expect(readdirSync(bench.scratch)).toEqual([]);
  });
});

describe.skipIf(kind === null)("a sandbox whose broker is killed", () => {
  const later = "echo begun > begun; cat fifo; echo late > late";
  const killed = (
    title: string,
    meanwhile: (inside: readonly number[]) => void,
    end: (broker: ChildProcess) => void,
  ) =>
    it(title, async () => {
      using bench = makeBench(kind ?? "root");
      const fifo = join(bench.workspace, "fifo");
      makeFifo(fifo);
      const script = join(import.meta.dirname, "broker.ts");
      const broker = spawn(process.execPath, [script, JSON.stringify(bench), later], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const outermost = JSON.parse(await firstLine(broker)) as SandboxProcess;
      await until(() => existsSync(join(bench.workspace, "begun")));
      const inside = processesOf(outermost.pid);
      expect(inside.length).toBeGreaterThanOrEqual(3);
      meanwhile(inside);
      end(broker);
      await untilGone([...inside, outermost.pid]);
      expect(() => closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK))).toThrow("ENXIO");
      expect(existsSync(join(bench.workspace, "late"))).toBe(false);
    });

  killed(
    "ends with it, busy as it is (F51)",
    () => undefined,
    (broker) => broker.kill("SIGKILL"),
  );

  // Through sudo the tie to the parent is lost, and stopping the supervisor takes root.
  if (kind === "root") {
    killed(
      "ends with it even when its supervisor hangs (F51)",
      (inside) =>
        process.kill(
          Number(
            inside.find((pid) =>
              readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("/run/baton/node\0"),
            ),
          ),
          "SIGSTOP",
        ),
      (broker) => broker.kill("SIGKILL"),
    );
  }
});

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("no output to read");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the broker ended before it said anything");
}
