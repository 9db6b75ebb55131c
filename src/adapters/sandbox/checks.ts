import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Check, Checkout, CheckRun, Checks } from "../../gate/checks.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { removeTree } from "./end.ts";
import { openSandbox, type Sandbox, type SandboxGround, type SandboxPlace } from "./open.ts";

export type ChecksOptions = {
  readonly ground: SandboxGround;
  readonly workspace: Pick<Workspace, "copy" | "restore">;
  /** The checkout of base on which setup ran, and the HOME that setup wrote. Both are only copied. */
  readonly base: string;
  readonly home: string;
  /** Where checkouts are made: a private directory. */
  readonly scratch: string;
};

/** Checkouts as copies of what setup made on base, with the tree laid over it, each with sandboxes of its own. */
export function sandboxChecks(options: ChecksOptions): Checks {
  return {
    checkout: async (tree, { signal }) => {
      signal.throwIfAborted();
      const scratch = mkdtempSync(join(options.scratch, "check-"));
      const place: SandboxPlace = { workspace: join(scratch, "work"), home: join(scratch, "home"), scratch };
      try {
        await bothEnded([
          options.workspace.copy(options.base, place.workspace),
          options.workspace.copy(options.home, place.home),
        ]);
        await options.workspace.restore(place.workspace, tree);
        signal.throwIfAborted();
        return checkoutAt(options.ground, place);
      } catch (cause) {
        await removeTree(scratch);
        throw new Error(`cannot make a checkout of ${tree} for checks`, { cause });
      }
    },
  };
}

/** Where one failed the other still writes, so nothing is removed before both have ended. */
async function bothEnded(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** A sandbox without network and one with it are made when the first check needs them; they never run together. */
function checkoutAt(ground: SandboxGround, place: SandboxPlace): Checkout {
  const sandboxes = new Map<boolean, Promise<Sandbox>>();
  let last: Promise<unknown> = Promise.resolve();
  const sandboxFor = (network: boolean): Promise<Sandbox> => {
    const opened =
      sandboxes.get(network) ??
      openSandbox({ ...ground, ...place, network: network ? "host" : "none", tools: false });
    sandboxes.set(network, opened);
    return opened;
  };
  return {
    run: (check, { signal }) => {
      const run = last.then(async () => {
        if (signal.aborted) return notBegun;
        return runIn(await sandboxFor(check.network), check, signal);
      });
      last = run.catch(() => undefined);
      return run;
    },
    [Symbol.asyncDispose]: async () => {
      for (const opened of sandboxes.values()) {
        const sandbox = await opened.catch(() => null);
        await sandbox?.[Symbol.asyncDispose]();
      }
      await removeTree(place.scratch);
    },
  };
}

// More than the model is shown at once, so that what failed can be found in the middle of it.
const checkOutputBytesMax = 256 * 1024;

const notBegun: CheckRun = { exitCode: null, timedOut: false, cancelled: true, ms: 0, output: "" };

async function runIn(sandbox: Sandbox, check: Check, signal: AbortSignal): Promise<CheckRun> {
  const { exitCode, timedOut, cancelled, ms, output } = await sandbox.ask(
    {
      type: "command",
      command: check.run,
      dir: check.dir,
      msMax: Math.round(check.minutes * 60_000),
      outputBytesMax: checkOutputBytesMax,
    },
    { signal },
  );
  return { exitCode, timedOut, cancelled, ms, output };
}
