import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { endProcessesOf } from "../processes.ts";
import { type ActionFile, resolveInputs } from "./action-file.ts";
import { cancelByLadder } from "./cancel-ladder.ts";
import { type JobFacts, jobEnvironment, type MachinePaths } from "./environment.ts";
import { createMasker, type Masker } from "./masker.ts";
import { killOrphans, sendSignal } from "./orphans.ts";
import type { PlannedAct, Run, RunOptions, RunResult } from "./run.ts";
import {
  type CommandFiles,
  createCommandFiles,
  type Gathered,
  gather,
  type StepEnd,
  startStep,
} from "./step.ts";
import { createStepLog, type StepLog } from "./step-log.ts";

/** A job of one step: main, then post. Made by `runAction`. */
export class Job implements Run {
  readonly #options: RunOptions;
  readonly #action: ActionFile;
  readonly #paths: MachinePaths;
  readonly #node: string;
  readonly #masker: Masker;
  readonly #log: StepLog;
  readonly #env: Readonly<Record<string, string>>;
  readonly #inputs: Readonly<Record<string, string>>;
  readonly #trackingId = `github_${randomUUID()}`;
  readonly #gathered: Gathered = {
    outputs: new Map(),
    env: new Map(),
    state: new Map(),
    path: [],
    summary: "",
  };
  readonly #listeners: ((line: string) => void)[] = [];
  readonly #done = Promise.withResolvers<RunResult>();
  readonly #plan: PlannedAct[];
  #child: ChildProcess | undefined;
  #gone = new AbortController();
  #cancelled = false;
  #lost = false;
  #refused = false;

  constructor(options: RunOptions, action: ActionFile, paths: MachinePaths) {
    this.#options = options;
    this.#action = action;
    this.#paths = paths;
    this.#node = options.node ?? process.execPath;
    this.#plan = [...(options.plan ?? [])];
    const token = options.githubToken ?? "";
    this.#masker = createMasker([token, ...(options.secrets ?? [])]);
    const onLine = (line: string) => {
      options.onLine?.(line);
      for (const listener of this.#listeners) listener(line);
    };
    this.#log = createStepLog({ masker: this.#masker, debug: options.debug ?? false, onLine });
    this.#env = { ...jobEnvironment(this.#facts()), ...options.env };
    const inputs = resolveInputs(action, options.inputs ?? {}, token);
    this.#inputs = inputs.env;
    if (inputs.warning !== undefined) this.#log.annotate("warning", inputs.warning);
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`cannot start ${this.#node}`);
    return this.#child.pid;
  }

  get done(): Promise<RunResult> {
    return this.#done.promise;
  }

  onLine(listener: (line: string) => void): void {
    this.#listeners.push(listener);
  }

  kill(signal: NodeJS.Signals): boolean {
    return !this.#gone.signal.aborted && sendSignal(this.pid, signal);
  }

  async cancel(): Promise<void> {
    this.#cancelled = true;
    await cancelByLadder((signal) => void this.kill(signal), this.#gone.signal, this.#options.ladder);
  }

  async lose(): Promise<RunResult> {
    this.#lost = true;
    this.kill("SIGKILL");
    await killOrphans(this.#trackingId);
    const result = await this.done;
    // What was started without the job's environment, such as a copy under way, would write on into what is removed.
    await endProcessesOf(this.#options.machine);
    await rm(this.#options.machine, { recursive: true, force: true });
    return result;
  }

  /** Resolves when main has started; `done` follows the rest. */
  async start(): Promise<void> {
    const main = await this.#step(this.#action.main, this.#options.under?.main);
    this.#finish(main.ended).then(this.#done.resolve, this.#done.reject);
  }

  async #finish(main: Promise<StepEnd>): Promise<RunResult> {
    const end = await main;
    await this.#options.afterMain?.(end.signal);
    const { post, postIf } = this.#action;
    const wanted = this.#hasPost() && !this.#lost && shouldRun(postIf, this.#conclude(end));
    const postEnd =
      post !== undefined && wanted
        ? await (await this.#step(post, this.#options.under?.post)).ended
        : undefined;
    const orphans = await killOrphans(this.#trackingId);
    this.#warnOfUndeclaredOutputs();
    return this.#result(end, postEnd, orphans);
  }

  #hasPost(): boolean {
    const { post } = this.#options;
    return typeof post === "function" ? post() : post !== false;
  }

  /** Starts node on a script; `ended` settles when it has ended and its files are read. */
  async #step(script: string, under: readonly string[] = []): Promise<{ readonly ended: Promise<StepEnd> }> {
    const files = await createCommandFiles(this.#paths.fileCommands);
    this.#gone = new AbortController();
    const { child, ended } = startStep({
      command: commandOf(under, [this.#node, ...(this.#options.nodeFlags ?? [])]),
      script: join(this.#options.actionDir, script),
      cwd: this.#paths.workspace,
      env: this.#stepEnvironment(files),
      onLine: (line) => this.#line(line),
      drainMs: this.#options.drainMs ?? 5000,
    });
    this.#child = child;
    child.once("exit", () => this.#gone.abort());
    return { ended: this.#collect(ended, files) };
  }

  async #collect(ended: Promise<StepEnd>, files: CommandFiles): Promise<StepEnd> {
    const end = await ended;
    // The deprecated commands speak first, so that what a file says wins.
    for (const [name, value] of this.#log.outputs) this.#gathered.outputs.set(name, value);
    for (const [name, value] of this.#log.state) this.#gathered.state.set(name, value);
    if (await gather(files, this.#gathered, this.#log)) this.#refused = true;
    return end;
  }

  #line(line: string): void {
    this.#log.line(line);
    const act = this.#plan[0];
    if (!act) return;
    const matches = typeof act.after === "string" ? line.includes(act.after) : act.after.test(line);
    if (!matches) return;
    this.#plan.shift();
    if (act.do === "lose") this.lose().catch(this.#done.reject);
    else if (act.do === "cancel") this.cancel().catch(this.#done.reject);
    else this.kill(act.do);
  }

  #stepEnvironment(files: CommandFiles): Record<string, string> {
    const { env, state, path } = this.#gathered;
    const states = [...state].map(([name, value]) => [`STATE_${name}`, value] as const);
    const merged: Record<string, string> = {
      ...Object.fromEntries(env),
      ...this.#env,
      ...files,
      ...this.#inputs,
      ...Object.fromEntries(states),
    };
    return { ...merged, PATH: [...path, merged["PATH"]].join(delimiter) };
  }

  #conclude(end: StepEnd): RunResult["conclusion"] {
    if (this.#cancelled) return "cancelled";
    return end.code === 0 && !this.#refused && !this.#log.failed() ? "success" : "failure";
  }

  #warnOfUndeclaredOutputs(): void {
    const undeclared = [...this.#gathered.outputs.keys()].filter(
      (name) => !this.#action.outputs.includes(name),
    );
    if (undeclared.length === 0) return;
    // The real runner keeps silent; a workflow could then not use them through a reusable workflow's contract.
    this.#log.annotate("warning", `Undeclared output(s) '${undeclared.join("', '")}'`);
  }

  #result(main: StepEnd, post: StepEnd | undefined, orphans: readonly number[]): RunResult {
    const worst = post !== undefined && post.code !== 0 ? post : main;
    return {
      ...main,
      postCode: post?.code,
      conclusion: this.#conclude(worst),
      outputs: Object.fromEntries(this.#gathered.outputs),
      summary: this.#masker.mask(this.#gathered.summary),
      log: this.#log.shown.join("\n"),
      rawLog: this.#log.raw.join("\n"),
      annotations: this.#log.annotations,
      state: Object.fromEntries(this.#gathered.state),
      exportedEnv: Object.fromEntries(this.#gathered.env),
      commandsParsed: this.#log.commands,
      orphans,
    };
  }

  #facts(): JobFacts {
    const { event, eventName, repository, runId = 1, runAttempt = 1, job = "agent" } = this.#options;
    const { actor, sha, ref, debug = false, action } = this.#options;
    return {
      ...{ event, eventName, repository, runId, runAttempt, job, actor, sha, ref, debug },
      node: this.#node,
      paths: this.#paths,
      trackingId: this.#trackingId,
      actionRepository: action?.repository ?? "octo-org/baton",
      actionRef: action?.ref ?? "v1",
    };
  }
}

function commandOf(
  under: readonly string[],
  node: readonly [string, ...(readonly string[])],
): readonly [string, ...(readonly string[])] {
  const [program, ...words] = under;
  return program === undefined ? node : [program, ...words, ...node];
}

/** Evaluates the few forms of `post-if` that an action may reasonably have. */
function shouldRun(condition: string, status: RunResult["conclusion"]): boolean {
  switch (condition.replace(/^\$\{\{\s*|\s*\}\}$/g, "")) {
    case "always()":
      return true;
    case "success()":
      return status === "success";
    case "failure()":
      return status === "failure";
    case "cancelled()":
      return status === "cancelled";
    case "!cancelled()":
      return status !== "cancelled";
    default:
      throw new Error(`this runner does not evaluate post-if: ${condition}`);
  }
}
