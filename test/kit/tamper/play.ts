// One attempt, made by a model in a real session on memory adapters, judged by the real gate with checks that really run.
import { commitIdOf, treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { memoryGitHub } from "../../../src/adapters/memory/host.ts";
import { memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import type { Means, Rooms } from "../../../src/app/means.ts";
import type { Sha } from "../../../src/base/hash.ts";
import {
  entriesOf,
  type MemoryMachine,
  memoryMachine,
  memoryPlace,
  memoryWorkspace,
} from "../race/memory-workspace.ts";
import { endOf, live } from "../story/play.ts";
import { givenStage, type Stage } from "../story/stage.ts";
import { tellsStory } from "../story/tale.ts";
import { bases } from "./bases.ts";
import { realChecks } from "./checks.ts";
import type { Attempt } from "./way.ts";

export type Played = {
  /** The session's outcome and reason, such as `pull-request/opened`. */
  readonly end: string;
  /** Of the pull request; null where none was opened. */
  readonly body: string | null;
  /** The status comment. */
  readonly comment: string;
  /** The pull request says that something is to be looked at. */
  readonly isFlagged: boolean;
  /** It says that the check was red before, and is green. */
  readonly isRedOnBase: boolean;
};

export async function play(
  { on, change }: Attempt,
  options: { readonly tamper: "flag" | "refuse"; readonly publish?: "ready" | "branch" },
): Promise<Played> {
  const base: Readonly<Record<string, string>> = bases[on];
  const config = `${base[".github/agent.yml"]}tamper: ${options.tamper}\n`;
  const files = new Map(Object.entries({ ...base, ".github/agent.yml": config }));
  const { stage, machine } = stageWith(files);
  const model = tellsStory([
    { calls: [{ name: "apply", input: { files: JSON.stringify(change) } }] },
    ...Array.from({ length: 6 }, () => ({ text: "Add up\n\nIt adds now." })),
  ]);
  const played = await live(stage, {
    model,
    orders: { setup: null, checks: null, publish: options.publish ?? "ready" },
    over: (means) => onMachine(means, machine, stage),
  });
  const body = stage.github.pulls[0]?.body ?? null;
  const isFlagged = /^### Look at these closely$|^- Fewer tests than on base/m.test(body ?? "");
  const isRedOnBase = body?.includes("| red | green |") ?? false;
  const comment = stage.github.comments[0]?.body ?? "";
  return { end: endOf(played), body, comment, isFlagged, isRedOnBase };
}

function stageWith(files: ReadonlyMap<string, string>): { stage: Stage; machine: MemoryMachine } {
  const plain = givenStage();
  const entries = entriesOf(files);
  const tree = treeIdOf(entries);
  const sha = commitIdOf({ tree, parent: "0".repeat(40) as Sha, message: "base", number: 0 });
  const github = memoryGitHub({
    threads: plain.github.threads,
    commits: new Map([[sha, { tree, parents: [], entries }]]),
    branches: new Map([["main", sha]]),
  });
  return { stage: { ...plain, github, base: { sha, files } }, machine: memoryMachine() };
}

function onMachine(means: Means, machine: MemoryMachine, { base }: Stage): Partial<Means> {
  const workspace = memoryWorkspace(machine, base);
  return {
    tools: memoryToolbox([applies(new Map())]).specs,
    rooms: roomsOf(machine),
    spareCore: false,
    ground: async (...given) => {
      const taken = await means.ground(...given);
      if (taken.kind !== "taken") return taken;
      return { ...taken, ground: { ...taken.ground, pin: async () => ({ kind: "pinned", workspace }) } };
    },
  };
}

function roomsOf(machine: MemoryMachine): Rooms {
  return {
    impossible: async () => null,
    setup: async () => [],
    place: () => memoryPlace(machine),
    open: async ({ work }) => {
      const files = machine.dirs.get(work) ?? new Map<string, string>();
      machine.dirs.set(work, files);
      const toolbox = memoryToolbox([applies(files)]);
      const room = { sandbox: "memory", pid: null, toolbox, [Symbol.asyncDispose]: async () => undefined };
      return { kind: "open", room };
    },
    checks: () => realChecks(machine),
  };
}

/** The one tool: writes and deletes files as JSON says. */
function applies(files: Map<string, string>) {
  return {
    name: "apply",
    class: "workspace" as const,
    required: ["files"],
    run: async ({ files: json = "{}" }: Readonly<Record<string, string>>) => {
      for (const [path, text] of Object.entries(JSON.parse(json) as Attempt["change"])) {
        if (text === null) files.delete(path);
        else files.set(path, text);
      }
      return "done";
    },
  };
}
