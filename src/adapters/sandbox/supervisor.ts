import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "./command.ts";
import { familyOf } from "./descendants.ts";
import { clipText, lineReader } from "./lines.ts";
import type { Answer, Request, SupervisorPlan } from "./protocol.ts";
import { ToolProcess } from "./tool-process.ts";

type Call = Extract<Request, { type: "call" | "probe" }>;
type Command = Extract<Request, { type: "command" }>;
type Outcome = Omit<Extract<Answer, { type: "outcome" }>, "type" | "id">;
type Active = { readonly exclusive: boolean; readonly timer: NodeJS.Timeout; liveBytes: number };

const liveBytesMax = 256 * 1024;
const probeMsMax = 10_000;
const clearMsMax = 5_000;

/**
 * Serves the broker until its end of the channel closes, then exits, which ends the namespace and all in it. It runs
 * under another uid than commands and tools, starts them, kills them and is the only one that reports on them (R7).
 * Nothing here blocks: a busy sandbox ends as fast as an idle one.
 */
export function supervise(plan: SupervisorPlan, input: Readable, output: Writable): void {
  const supervisor = new Supervisor(plan, (answer) => output.write(`${JSON.stringify(answer)}\n`));
  const read = lineReader({
    onLine: (line) => supervisor.take(JSON.parse(line) as Request),
    onOverflow: () => process.exit(3),
  });
  input.on("data", read);
  for (const event of ["end", "close", "error"]) input.on(event, () => supervisor.exit());
  output.on("error", () => supervisor.exit());
  supervisor.start();
}

class Supervisor {
  readonly #plan: SupervisorPlan;
  readonly #send: (answer: Answer) => void;
  readonly #active = new Map<number, Active>();
  /** Direct children; without a namespace they, with their process groups, are all that can be killed. */
  readonly #children = new Set<ChildProcess>();
  #tools: ToolProcess | null = null;
  #command: { readonly id: number; readonly cancel: () => void } | null = null;
  #clearing: Promise<void> = Promise.resolve();

  constructor(plan: SupervisorPlan, send: (answer: Answer) => void) {
    this.#plan = plan;
    this.#send = send;
    // Killing "everything" must never mean the machine: refuse to live where the broker lives.
    if (plan.outerPidNamespace !== null && readlinkSync("/proc/self/ns/pid") === plan.outerPidNamespace) {
      throw new Error("the supervisor was started outside its pid namespace");
    }
  }

  start(): void {
    closeInherited();
    this.#send({ type: "ready" });
    this.#startTools();
  }

  take(request: Request): void {
    switch (request.type) {
      case "call":
      case "probe":
        void this.#clearing.then(() => this.#call(request));
        return;
      case "command":
        void this.#clearing.then(() => this.#run(request));
        return;
      case "abort":
        this.#abort(request.id);
        return;
    }
  }

  exit(): void {
    // In a namespace the kernel does that, faster and without exception.
    if (this.#plan.outerPidNamespace === null) for (const child of this.#children) killFamily(child);
    process.exit(0);
  }

  #call(call: Call): void {
    const exclusive = call.type === "call" && call.exclusive;
    if (this.#command !== null || (exclusive && this.#active.size > 0)) {
      this.#answer(call.id, failure("error", "Another call is still running."));
      return;
    }
    const msMax = call.type === "call" ? call.msMax : probeMsMax;
    const late = failure("error", `Stopped: it took longer than ${Math.round(msMax / 1000)} s.`);
    const timer = setTimeout(() => void this.#stop((id) => (id === call.id ? late : bystander)), msMax);
    this.#active.set(call.id, { exclusive, timer, liveBytes: 0 });
    this.#startTools();
    this.#tools?.send(call);
  }

  async #run(request: Command): Promise<void> {
    const running = runCommand(request, this.#plan, {
      spawn: (file, args, options) => this.#spawn(file, args, options),
      clear: () => this.#clear(),
    });
    this.#command = { id: request.id, cancel: running.cancel };
    const ended = await running.ended;
    this.#command = null;
    this.#send(ended);
    this.#startTools();
  }

  #abort(id: number): void {
    if (this.#command?.id === id) this.#command.cancel();
    if (!this.#active.has(id)) return;
    void this.#stop((one) => (one === id ? failure("killed", "Stopped.") : bystander));
  }

  /** Ends every active call with the outcome made for it, once nothing is left of any of them. */
  async #stop(outcomeOf: (id: number) => Outcome): Promise<void> {
    const ids = [...this.#active.keys()];
    for (const active of this.#active.values()) clearTimeout(active.timer);
    this.#active.clear();
    await this.#clear();
    for (const id of ids) this.#answer(id, outcomeOf(id));
    this.#startTools();
  }

  #startTools(): void {
    if (this.#plan.worker === null || this.#tools !== null) return;
    const [file, ...args] = [...this.#plan.drop, ...this.#plan.worker];
    if (file === undefined) return;
    const tools: ToolProcess = new ToolProcess(
      this.#spawn(file, args, { cwd: "/", stdio: "pipe", env: { PATH: this.#plan.env["PATH"] } }),
      {
        onMessage: (message) => {
          if (this.#tools === tools) this.#hear(message);
        },
        onEnd: (why) => {
          if (this.#tools !== tools) return;
          this.#tools = null;
          void this.#stop(() => failure("error", why));
        },
      },
    );
    this.#tools = tools;
  }

  /** A message of the tool process, which runs under the uid of commands: its word counts for the model only. */
  #hear(message: Exclude<Answer, { type: "ready" | "ended" }>): void {
    const active = this.#active.get(message.id);
    if (active === undefined) return;
    if (message.type === "output") {
      const room = liveBytesMax - active.liveBytes;
      if (room <= 0) return;
      const text = clipText(message.text, room);
      active.liveBytes += Buffer.byteLength(text);
      this.#send({ ...message, text });
      return;
    }
    if (active.exclusive && message.type === "outcome") {
      void this.#stop(() => message);
      return;
    }
    clearTimeout(active.timer);
    this.#active.delete(message.id);
    this.#send(message);
  }

  #answer(id: number, outcome: Outcome): void {
    this.#send({ ...outcome, type: "outcome", id });
  }

  #spawn(file: string, args: readonly string[], options: object): ChildProcess {
    const child = spawn(file, args, { ...options, detached: this.#plan.outerPidNamespace === null });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    child.once("error", () => this.#children.delete(child));
    return child;
  }

  /** Resolves once no process but this one and pid 1 is left. Requests that come meanwhile wait for it. */
  #clear(): Promise<void> {
    this.#tools = null;
    const done = this.#clearing.then(async () => {
      await (this.#plan.outerPidNamespace === null ? clearGroups(this.#children) : clearNamespace());
      // One that was started meanwhile is gone as well.
      this.#tools = null;
    });
    this.#clearing = done;
    return done;
  }
}

const bystander = failure("error", "Stopped together with another call; it can be called again.");

function failure(status: "error" | "killed", output: string): Outcome {
  return { status, output, whole: null, plan: null };
}

/**
 * Descriptors that some program above the broker left open for its children to inherit. The runner's files and
 * sockets are no business of commands, and what node opens itself is closed on exec.
 */
function closeInherited(): void {
  const closedOnExec = 0o2000000;
  const names = existsSync("/proc/self/fdinfo") ? readdirSync("/proc/self/fdinfo") : [];
  for (const fd of names.map(Number).filter((one) => one > 2)) {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0) closeSync(fd);
    } catch {
      // The one that listed the directory is gone already.
    }
  }
}

async function clearNamespace(): Promise<void> {
  const deadline = performance.now() + clearMsMax;
  while (true) {
    try {
      // Spares the caller and the namespace's pid 1.
      process.kill(-1, "SIGKILL");
    } catch {
      // ESRCH: there was nobody to kill.
    }
    if (others() === 0) return;
    // What cannot be killed goes with the namespace: the broker learns that the sandbox is lost.
    if (performance.now() > deadline) process.exit(4);
    await sleep(1);
  }
}

function others(): number {
  const own = String(process.pid);
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== "1" && name !== own).length;
}

async function clearGroups(children: ReadonlySet<ChildProcess>): Promise<void> {
  const deadline = performance.now() + clearMsMax;
  while (children.size > 0 && performance.now() < deadline) {
    for (const child of children) killFamily(child);
    await sleep(1);
  }
}

/** Without a namespace: the child's group and, because commands have groups of their own, all that descends from it. */
function killFamily(child: ChildProcess): void {
  if (child.pid === undefined) return;
  for (const pid of familyOf(child.pid).flatMap((one) => [-one, one])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already, or not the leader of a group.
    }
  }
}
