import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Tool } from "../../tools/tool.ts";
import { clearGroups, clearNamespace, killFamily } from "./clear.ts";
import { openFifo, runCommand } from "./command.ts";
import { clipText, lineReader } from "./lines.ts";
import type { Answer, Request, SupervisorPlan } from "./protocol.ts";
import { ToolProcess } from "./tool-process.ts";

type Call = Extract<Request, { type: "call" | "probe" }>;
type Command = Extract<Request, { type: "command" }>;
type Outcome = Omit<Extract<Answer, { type: "outcome" }>, "type" | "id">;
/** `own`: run by this process itself, not by the tool process. */
type Active = {
  readonly exclusive: boolean;
  readonly own: boolean;
  readonly timer: NodeJS.Timeout;
  liveBytes: number;
};

const liveBytesMax = 256 * 1024;
const probeMsMax = 10_000;
/**
 * How long after an exclusive call the next tool process is made ready. A call that is there already by then may be
 * one that needs none; a model takes longer than this, so no read waits for it.
 */
const restMs = 25;

/**
 * Serves the broker until its end of the channel closes, then exits, which ends the namespace and all in it. It runs
 * under another uid than commands and tools, starts them, kills them and is the only one that reports on them (R7).
 * Nothing here blocks: a busy sandbox ends as fast as an idle one.
 */
export function supervise(
  plan: SupervisorPlan,
  input: Readable,
  output: Writable,
  tools: { readonly shell: () => Promise<Tool> },
): void {
  const send = (answer: Answer) => output.write(`${JSON.stringify(answer)}\n`);
  const supervisor = new Supervisor(plan, send, tools.shell);
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
  readonly #shell: () => Promise<Tool>;
  readonly #active = new Map<number, Active>();
  /** Direct children; without a namespace they, with their process groups, are all that can be killed. */
  readonly #children = new Set<ChildProcess>();
  #tools: ToolProcess | null = null;
  #rest: NodeJS.Timeout | undefined;
  #command: { readonly id: number; readonly cancel: () => void } | null = null;
  #clearing: Promise<void> = Promise.resolve();

  constructor(plan: SupervisorPlan, send: (answer: Answer) => void, shell: () => Promise<Tool>) {
    this.#plan = plan;
    this.#send = send;
    this.#shell = shell;
    // Killing "everything" must never mean the machine: refuse to live where the broker lives.
    if (plan.outerPidNamespace !== null && readlinkSync("/proc/self/ns/pid") === plan.outerPidNamespace) {
      throw new Error("the supervisor was started outside its pid namespace");
    }
  }

  start(): void {
    closeInherited();
    this.#send({ type: "ready" });
    this.#startTools();
    // Loaded while nothing is asked for yet; a fault comes out at the first command.
    if (this.#plan.worker !== null) this.#shell().catch(() => undefined);
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
        // In line behind the request that it is about, which may not have begun.
        void this.#clearing.then(() => this.#abort(request.id));
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
    const { fifo } = this.#plan;
    const own = call.type === "call" && fifo !== null && this.#isOwn(call);
    this.#active.set(call.id, { exclusive, own, timer, liveBytes: 0 });
    clearTimeout(this.#rest);
    if (own) {
      void this.#runShell(call, fifo);
      return;
    }
    this.#startTools();
    this.#tools?.send(call);
  }

  /**
   * A command in the workspace is started from here, as checks are: the process for tools ends with each such call,
   * and a new one takes longer to start than most commands to run. Where it runs has to be looked at by a process
   * that may, unless it is the top; without a namespace only the family of the tool process can be ended.
   */
  #isOwn({ exclusive, tool, arguments: given }: Extract<Request, { type: "call" }>): boolean {
    if (!exclusive || tool !== "shell" || this.#plan.outerPidNamespace === null) return false;
    return typeof given === "object" && given !== null && !("dir" in given);
  }

  /** All that the command can write here is its output; what it left is gone before the answer is sent. */
  async #runShell(
    { id, callId, arguments: given }: Extract<Request, { type: "call" }>,
    fifo: string,
  ): Promise<void> {
    const outcome = await this.#shell()
      .then((shell) => {
        // Stopped while it was loaded: nothing may begin any more.
        if (!this.#active.has(id)) return failure("killed", "Stopped.");
        return shell.run(given, {
          root: this.#plan.root,
          tmp: this.#plan.tmp,
          env: this.#plan.env,
          apart: { drop: this.#plan.drop, pipe: () => openFifo(fifo) },
          signal: new AbortController().signal,
          onOutput: (text) => this.#hear({ type: "output", id, text }),
          attachment: null,
          callId,
        });
      })
      .catch((error: unknown) => failure("error", `The tool failed: ${String(error)}`));
    this.#hear({ ...outcome, type: "outcome", id });
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
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#startTools(), restMs);
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
          // A command may kill it; that is no reason to take the command's own result from it.
          if ([...this.#active.values()].some((active) => active.own)) return;
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
