// A workspace, and places where tools run, of one machine that is nothing but maps.
import { memoryChecks } from "../../../src/adapters/memory/checks.ts";
import { type Entries, treeIdOf, withFiles } from "../../../src/adapters/memory/git-objects.ts";
import { type MemoryTool, memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import type { Rooms, RunDirs, SetupPlace } from "../../../src/app/means.ts";
import type { Sha, Tree } from "../../../src/base/hash.ts";
import type { CommitFile } from "../../../src/delivery/host.ts";
import type { Check, CheckRun } from "../../../src/gate/checks.ts";
import type { Change, Workspace } from "../../../src/workspace/workspace.ts";

/** A directory's files, all of mode 100644. */
type Files = ReadonlyMap<string, string>;

export type MemoryMachine = {
  readonly dirs: Map<string, Map<string, string>>;
  readonly trees: Map<Tree, Files>;
};

export function memoryMachine(): MemoryMachine {
  return { dirs: new Map(), trees: new Map() };
}

export function entriesOf(files: Files): Entries {
  const commit: CommitFile[] = [...files].map(([path, text]) => {
    return { path, mode: "100644", bytes: Buffer.from(text) };
  });
  return withFiles(new Map(), commit);
}

export function memoryWorkspace(
  machine: MemoryMachine,
  base: { readonly sha: Sha; readonly files: Files },
): Workspace {
  const { dirs, trees } = machine;
  const keep = (files: Files): Tree => {
    const tree = treeIdOf(entriesOf(files));
    trees.set(tree, new Map(files));
    return tree;
  };
  const filesOf = (tree: Tree): Files => {
    const files = trees.get(tree);
    if (files === undefined) throw new Error(`the tree ${tree} is not on this machine`);
    return files;
  };
  const baseTree = keep(base.files);
  const bytesOf = (text: string | undefined): Uint8Array | null =>
    text === undefined ? null : Buffer.from(text);
  return {
    baseSha: base.sha,
    configSha: base.sha,
    baseTree,
    file: async (path) => bytesOf(base.files.get(path)),
    list: async () => [...base.files.keys()].sort(),
    seal: async (dir) => ({ kind: "sealed", tree: keep(dirs.get(dir) ?? new Map()) }),
    restore: async (dir, tree) => {
      dirs.set(dir, new Map(filesOf(tree)));
    },
    copy: async (from, to) => {
      dirs.set(to, new Map(dirs.get(from)));
    },
    diff: async (from, to) => changesBetween(filesOf(from), filesOf(to)),
    objects: {
      blob: async (id) => {
        for (const files of trees.values())
          for (const [path, text] of files)
            if (entriesOf(new Map([[path, text]])).get(path)?.blob === id) return Buffer.from(text);
        throw new Error(`the blob ${id} is not on this machine`);
      },
      pack: async ({ want }) => Buffer.from(JSON.stringify(want.map((tree) => [...filesOf(tree)]))),
      unpack: async (pack) => {
        for (const files of JSON.parse(Buffer.from(pack).toString()) as [string, string][][])
          keep(new Map(files));
      },
      fileAt: async (tree, path) => bytesOf(filesOf(tree).get(path)),
      transplant: async ({ from, to, onto, only = () => true }) => {
        const [before, after] = [filesOf(from), filesOf(to)];
        const made = new Map(filesOf(onto));
        for (const { path } of changesBetween(before, after).filter((change) => only(change.path))) {
          const text = after.get(path);
          if (text === undefined) made.delete(path);
          else made.set(path, text);
        }
        return keep(made);
      },
      patch: async ({ from, to, bytesMax }) => {
        const patch = Buffer.from(patchBetween(filesOf(from), filesOf(to)));
        return patch.length > bytesMax ? null : patch;
      },
      has: async (tree) => trees.has(tree),
    },
  };
}

function changesBetween(before: Files, after: Files): readonly Change[] {
  const entries = entriesOf(after);
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): readonly Change[] => {
    if (before.get(path) === after.get(path)) return [];
    const lines = { addedLines: null, deletedLines: null };
    if (!after.has(path)) return [{ path, status: "deleted", mode: null, blob: null, ...lines }];
    const blob = (entries.get(path)?.blob ?? null) as Sha | null;
    return [{ path, status: before.has(path) ? "modified" : "added", mode: "100644", blob, ...lines }];
  });
}

/** Whole files replaced: it reads like git's, and only git's own is ever applied. */
function patchBetween(before: Files, after: Files): string {
  const lines = (mark: string, text = ""): string => text.replace(/^.*\n?/gm, (line) => line && mark + line);
  return changesBetween(before, after)
    .map(({ path, status }) => {
      const from = status === "added" ? "/dev/null" : `a/${path}`;
      const to = status === "deleted" ? "/dev/null" : `b/${path}`;
      const body = lines("-", before.get(path)) + lines("+", after.get(path));
      return `diff --git a/${path} b/${path}\n--- ${from}\n+++ ${to}\n${body}`;
    })
    .join("");
}

/** Tools read and write one directory's files; a check sees the files of its tree. */
export function memoryRooms(
  machine: MemoryMachine,
  options: {
    readonly onCall: (id: string) => void;
    readonly check: (check: Check, files: Files) => { readonly exitCode: number; readonly output: string };
  },
): Rooms {
  return {
    impossible: async () => null,
    setup: async () => [],
    place: () => memoryPlace(machine),
    open: async ({ work }) => {
      const files = machine.dirs.get(work);
      if (files === undefined) throw new Error(`there is no directory ${work}`);
      const toolbox = memoryToolbox(toolsIn(files, options.onCall));
      const room = { sandbox: "memory", pid: null, toolbox, [Symbol.asyncDispose]: async () => {} };
      return { kind: "open", room };
    },
    checks: () =>
      memoryChecks((check, tree): CheckRun => {
        const { exitCode, output } = options.check(check, machine.trees.get(tree) ?? new Map());
        return { exitCode, timedOut: false, cancelled: false, ms: 10, output };
      }),
  };
}

export async function memoryPlace({ dirs }: MemoryMachine): Promise<SetupPlace> {
  const base = `/setup-${dirs.size}`;
  const close = async (): Promise<void> => void dirs.delete(base);
  return { base, home: `${base}-home`, [Symbol.asyncDispose]: close };
}

/** What the model is told of the tools, which are the same in every room. */
export function toolsIn(files: Map<string, string>, onCall: (id: string) => void): readonly MemoryTool[] {
  return [
    {
      name: "read",
      class: "read",
      required: ["path"],
      run: async ({ path = "" }, { call }) => {
        onCall(call.id);
        return files.get(path) ?? "no such file";
      },
    },
    {
      name: "write",
      class: "workspace",
      required: ["path", "text"],
      run: async ({ path = "", text = "" }, { call }) => {
        onCall(call.id);
        files.set(path, text);
        return `wrote ${path}`;
      },
    },
  ];
}

export const dirs: RunDirs = { base: "/base", work: "/work", home: "/home", workHome: "/work-home" };
