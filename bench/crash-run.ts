import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { familyOf } from "../src/adapters/sandbox/descendants.ts";
import { extendsPrompt } from "../test/kit/model/prefix.ts";
import type { WireRequest } from "../test/kit/model/wire.ts";
import { processesOf } from "../test/kit/processes.ts";
import {
  at,
  type Ended,
  type Kill,
  launch,
  linesOf,
  logIn,
  orphanMs,
  type Place,
  type Program,
  sessionIn,
  startScript,
  steps,
} from "./crash-world.ts";

/** How often the interrupted call began, and came to its end. */
export type Effect = { readonly begin: number; readonly done: number };

export type Before = Ended & {
  readonly effect: Effect;
  /** Processes that still ran after a command that runs on would have ended. */
  readonly survivors: number;
  /** The last request before the kill. */
  readonly request: WireRequest | null;
};

/** Starts a session and kills it inside call 10, or lets it end. */
export async function killed(kill: Kill, place: Place, program: Program): Promise<Before> {
  await using model = await startScript();
  const words = ["run", "do the scripted work", ...(program.sandbox ? [] : ["--no-sandbox"])];
  const running = launch(words, { place, program, model });
  if (kill !== "none") {
    await begun(place, running.ended);
    end(kill, running.pid);
  }
  const ended = await running.ended;
  const survivors = kill === "none" ? 0 : await leftOver(place);
  const effect = effectIn(place);
  return { ...ended, effect, survivors, request: model.requests.at(-1)?.body ?? null };
}

/** Waits until the call that is to be interrupted has begun, and then a little, so that it is well under way. */
async function begun(place: Place, ended: Promise<Ended>): Promise<void> {
  let over: Ended | null = null;
  void ended.then((how) => {
    over = how;
  });
  while (!linesOf("effect.txt", place).includes("begin")) {
    if (over !== null) throw new Error(`it ended before step ${at}: ${JSON.stringify(over)}`);
    await sleep(50);
  }
  await sleep(1000);
}

function end(kill: Exclude<Kill, "none">, pid: number): void {
  if (kill !== "tree") {
    process.kill(pid, ({ agent: "SIGKILL", term: "SIGTERM", int: "SIGINT" } as const)[kill]);
    return;
  }
  for (const one of familyOf(pid)) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It went with its parent.
    }
  }
}

async function leftOver({ root }: Place): Promise<number> {
  await sleep(orphanMs);
  return processesOf(root).length;
}

export type After = {
  readonly exit: number | null;
  /** As the last lines tell it, such as `refused` and `damaged`. */
  readonly kind: string;
  readonly code: string;
  readonly detail: string;
  readonly effect: Effect;
  readonly log: { readonly twice: readonly number[]; readonly missing: readonly number[] };
  readonly requests: number;
  /** Requests that the API's rules refuse. */
  readonly invalid: number;
  /** Whether the first request is the last one before the kill, or that and more; null when there was none. */
  readonly extended: boolean | null;
  readonly repaired: boolean;
  /** Whether the log is, byte for byte, what it was. */
  readonly untouched: boolean;
};

/** Resumes what is left, to its end; with `flags`. */
export async function resumed(
  place: Place,
  flags: readonly string[],
  { before, ...program }: Program & { readonly before: Before },
): Promise<After> {
  await using model = await startScript();
  const words = ["resume", sessionIn(place), ...flags];
  const was = readFileSync(logIn(place), "utf8");
  const ended = await launch(words, { place, program, model }).ended;
  const log = readFileSync(logIn(place), "utf8");
  const told = outcomeIn(ended.out);
  const first = model.requests[0]?.body;
  const extended =
    first === undefined || before.request === null ? null : extendsPrompt(before.request, first);
  return {
    exit: ended.exit,
    ...told,
    effect: effectIn(place),
    log: stepsIn(place),
    requests: model.requests.length,
    invalid: model.requests.filter(({ refused }) => refused !== undefined).length,
    extended,
    repaired: log.includes('"type":"log.repaired"'),
    untouched: log === was,
  };
}

function effectIn(place: Place): Effect {
  const lines = linesOf("effect.txt", place);
  const count = (word: string) => lines.filter((line) => line === word).length;
  return { begin: count("begin"), done: count("done") };
}

/** The steps that left more than one line, and none; the interrupted one leaves its lines elsewhere. */
function stepsIn(place: Place): After["log"] {
  const lines = linesOf("log.txt", place);
  const numbers = Array.from({ length: steps }, (_, index) => index + 1).filter((step) => step !== at);
  const times = (step: number) => lines.filter((line) => line === `step ${step}`).length;
  return {
    twice: numbers.filter((step) => times(step) > 1),
    missing: numbers.filter((step) => times(step) === 0),
  };
}

function outcomeIn(out: string): Pick<After, "kind" | "code" | "detail"> {
  const kinds = "pull-request|no-change|suspended|gate-failed|refused|failed";
  const [, kind, code, detail] = new RegExp(`^(${kinds}) \\(([a-z-]+)\\): (.*)$`, "m").exec(out) ?? [];
  if (kind === undefined || code === undefined || detail === undefined)
    throw new Error(`it did not say how it ended:\n${out}`);
  return { kind, code, detail };
}
