import { Worker } from "node:worker_threads";

/** A line that matches: its number from 1, and where in it the match begins, from 0. */
export type Hit = { readonly line: number; readonly column: number };

export type Lines = { readonly kind: "lines"; readonly hits: readonly Hit[]; readonly count: number };
export type Names = { readonly kind: "names"; readonly indexes: readonly number[] };
export type Unanswered = { readonly kind: "timeout" | "failed"; readonly why: string };

/** Matches in a thread that can be killed: an expression or a glob that never ends must not stop the tools. */
export type Matcher = AsyncDisposable & {
  /** Lines of `text` that match; at most `hitsMax` are named, all are counted. */
  readonly lines: (text: string, hitsMax: number) => Promise<Lines | Unanswered>;
  /** Which of the names match any of the globs; a glob without a slash is compared with the last part alone. */
  readonly names: (globs: readonly string[], names: readonly string[]) => Promise<Names | Unanswered>;
};

/** The flags an expression is used with, or why it is none. The stricter `u` first, without it where it must be. */
export function flagsFor(
  pattern: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): { readonly kind: "flags"; readonly flags: string } | { readonly kind: "invalid"; readonly why: string } {
  let why = "";
  for (const flags of ignoreCase ? ["ui", "i"] : ["u", ""]) {
    try {
      new RegExp(pattern, flags);
      return { kind: "flags", flags };
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
  }
  return { kind: "invalid", why };
}

/** One question at a time. After a timeout or a failure the matcher is of no more use. */
export function startMatcher(
  expression: { readonly pattern: string; readonly flags: string } | null,
  { msMax, signal }: { readonly msMax: number; readonly signal: AbortSignal },
): Matcher {
  const worker = new Worker(source, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: expression,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });

  // A listener for good, so that no error of the thread is ever unheard.
  let pending: ((answer: unknown) => void) | null = null;
  let lost: Unanswered | null = null;
  const lose = (kind: Unanswered["kind"], why: string): void => {
    lost ??= { kind, why };
    pending?.(lost);
    void worker.terminate();
  };
  worker.on("message", (answer: unknown) => pending?.(answer));
  worker.on("error", (error) => lose("failed", String(error)));
  worker.on("exit", () => lose("failed", "the matching thread ended"));

  const ask = async <Answer>(task: object): Promise<Answer | Unanswered> => {
    if (signal.aborted) return { kind: "failed", why: "cancelled" };
    if (lost !== null) return lost;
    const timer = setTimeout(() => lose("timeout", `it ran longer than ${msMax / 1000} s`), msMax);
    const onAbort = (): void => lose("failed", "cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    const answer = await new Promise<unknown>((resolve) => {
      pending = resolve;
      worker.postMessage(task);
    });
    pending = null;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // The thread runs our own source below: what it answers is what was asked for.
    return answer as Answer | Unanswered;
  };

  return {
    lines: (text, hitsMax) => ask<Lines>({ kind: "lines", text, hitsMax }),
    names: (globs, names) => ask<Names>({ kind: "names", globs, names }),
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}

/** As text: the product is bundled into one file, and a thread then has no file of its own to start from. */
const source = `
const { parentPort, workerData } = require("node:worker_threads");
const { matchesGlob, basename } = require("node:path").posix;
const expression = workerData && new RegExp(workerData.pattern, workerData.flags);

function lines({ text, hitsMax }) {
  const hits = [];
  let count = 0;
  text.split(/\\r?\\n/).forEach((line, index, all) => {
    if (line === "" && index === all.length - 1) return;
    const match = expression.exec(line);
    if (match === null) return;
    count += 1;
    if (hits.length < hitsMax) hits.push({ line: index + 1, column: match.index });
  });
  return { kind: "lines", hits, count };
}

function names({ globs, names }) {
  const fits = (name, glob) => matchesGlob(glob.includes("/") ? name : basename(name), glob);
  const indexes = [];
  names.forEach((name, index) => {
    if (globs.some((glob) => fits(name, glob))) indexes.push(index);
  });
  return { kind: "names", indexes };
}

parentPort.on("message", (task) => {
  parentPort.postMessage(task.kind === "lines" ? lines(task) : names(task));
});
`;
