import { constants } from "node:os";

/** One abort for Ctrl-C, a closed terminal and the time limit. */
export type Cancel = Disposable & {
  readonly signal: AbortSignal;
  readonly limit: (ms: number) => void;
  /** Aborted by a signal, not by the limit. */
  readonly cancelled: AbortSignal;
  /** What a shell makes of the signal that came, 130 for Ctrl-C; null when none did. */
  readonly exit: number | null;
};

/** `setTimeout` takes no longer wait. */
const timerMsMax = 2 ** 31 - 1;
/** One key press arrives twice, from the terminal and from npm, when npm started us. */
const againMsMin = 500;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal suspends the session; a second one ends the process at once, as a kill would. */
export function listenForCancel(print: (text: string) => void): Cancel {
  const cancel = new AbortController();
  const late = new AbortController();
  let first: number | null = null;
  let exit: number | null = null;
  const onSignal = (name: (typeof signals)[number]): void => {
    if (first === null) {
      first = performance.now();
      exit = exitOf(name);
      print("interrupted: suspending; once more ends it at once, and it can be resumed all the same");
      cancel.abort(new Error("the run was cancelled"));
    } else if (performance.now() - first > againMsMin) process.exit(exitOf(name));
  };
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: AbortSignal.any([cancel.signal, late.signal]),
    limit: (ms) => {
      const end = (): void => late.abort(new Error("the time budget is used up"));
      setTimeout(end, Math.min(ms, timerMsMax)).unref();
    },
    cancelled: cancel.signal,
    get exit() {
      return exit;
    },
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}

function exitOf(name: (typeof signals)[number]): number {
  return 128 + constants.signals[name];
}
