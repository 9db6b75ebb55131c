import type { Tree } from "../base/hash.ts";
import { NotRestored } from "../workspace/workspace.ts";
import type { Room, SetupRun } from "./means.ts";
import { recordedRun } from "./recorded-run.ts";
import type { Work } from "./work.ts";

export type Ready =
  | { readonly kind: "ready"; readonly room: Room }
  | {
      readonly kind: "refused";
      readonly code: "setup-failed" | "sandbox" | "workspace" | "not-restored" | "cancelled";
      readonly why: string;
    };

/**
 * Makes the place where the model works: the base tree, setup on it, the last sealed tree over it, a sandbox around
 * it that was proved. Setup runs on every machine anew; what it leaves in ignored files is not part of the session.
 */
export async function makeReady(work: Work, { signal }: { readonly signal: AbortSignal }): Promise<Ready> {
  const { ground, workspace, means, config, story } = work;
  const { dirs } = ground;
  const impossible = await means.rooms.impossible();
  if (impossible !== null) return { kind: "refused", code: "sandbox", why: impossible };
  const base = await restored(workspace, dirs.base, workspace.baseTree);
  if (base.kind === "refused") return base;
  const setup = await runSetup(work, signal);
  if (setup.kind === "refused") return setup;
  await Promise.all([workspace.copy(dirs.base, dirs.work), workspace.copy(dirs.home, dirs.workHome)]);
  const { tree } = story.state;
  if (tree !== null && tree !== setup.tree) {
    const last = await restored(workspace, dirs.work, tree);
    if (last.kind === "refused") return last;
  }
  const opened = await means.rooms.open(dirs, { names: config.env, signal });
  if (opened.kind === "refused") return { kind: "refused", code: "sandbox", why: opened.why };
  await story.append({ type: "sandbox.started", sandbox: opened.room.sandbox, pid: opened.room.pid });
  return { kind: "ready", room: opened.room };
}

/** Check 11 of session.md, section 7: nothing runs in files that are not those of the tree. */
async function restored(
  workspace: Work["workspace"],
  dir: string,
  tree: Tree,
): Promise<{ readonly kind: "restored" } | Extract<Ready, { kind: "refused" }>> {
  try {
    await workspace.restore(dir, tree);
    return { kind: "restored" };
  } catch (error) {
    if (!(error instanceof NotRestored)) throw error;
    return { kind: "refused", code: "not-restored", why: error.message };
  }
}

type Setup = { readonly kind: "done"; readonly tree: Tree } | Extract<Ready, { kind: "refused" }>;

async function runSetup(work: Work, signal: AbortSignal): Promise<Setup> {
  const { ground, workspace, means, config, story } = work;
  const commands = config.setup;
  await story.append({ type: "setup.started", commands });
  const began = means.clock.elapsed();
  const runs =
    commands.length === 0
      ? []
      : await means.rooms.setup(ground.dirs, commands, { names: config.env, signal });
  const failed = runs.find((run) => run.exitCode !== 0);
  const sealed = failed === undefined ? await workspace.seal(ground.dirs.base) : null;
  await story.append({
    type: "setup.settled",
    ok: sealed?.kind === "sealed",
    commands: await Promise.all(runs.map((run) => recordedRun(run, work.journal))),
    tree: sealed?.kind === "sealed" ? sealed.tree : null,
    ms: Math.round(means.clock.elapsed() - began),
  });
  if (signal.aborted)
    return { kind: "refused", code: "cancelled", why: "the run was cancelled during setup" };
  if (failed !== undefined) return setupFailed(failed);
  if (sealed?.kind !== "sealed") {
    const why = `after setup ${sealed?.path ?? "a file"} cannot be kept: ${sealed?.why ?? "unknown"}`;
    return { kind: "refused", code: "workspace", why };
  }
  return { kind: "done", tree: sealed.tree };
}

function setupFailed(run: SetupRun): Setup {
  const how = run.exitCode === null ? "was ended" : `ended with exit code ${run.exitCode}`;
  const tail = run.output.trim().split("\n").slice(-15).join("\n");
  const why = `the setup command \`${run.command}\` ${how} on the untouched base commit. Its last lines:\n${tail}`;
  return { kind: "refused", code: "setup-failed", why };
}
