import type { Tree } from "../../base/hash.ts";
import type { Check, CheckRun, Checks } from "../../gate/checks.ts";

type Answer = (
  check: Check,
  tree: Tree,
  options: { readonly signal: AbortSignal },
) => Promise<CheckRun> | CheckRun;

export type MemoryChecks = Checks & {
  /** What ran, in order. */
  readonly ran: readonly { readonly check: string; readonly tree: Tree }[];
  /** How many checkouts are open now. */
  readonly open: () => number;
};

/** Checks answered by a function instead of a machine. A run whose signal is aborted comes out cancelled. */
export function memoryChecks(answer: Answer): MemoryChecks {
  const ran: { check: string; tree: Tree }[] = [];
  let open = 0;
  return {
    ran,
    open: () => open,
    checkout: async (tree) => {
      open += 1;
      return {
        run: async (check, options) => {
          ran.push({ check: check.name, tree });
          const run = await answer(check, tree, options);
          return options.signal.aborted ? { ...run, exitCode: null, timedOut: false, cancelled: true } : run;
        },
        [Symbol.asyncDispose]: async () => {
          open -= 1;
        },
      };
    },
  };
}
