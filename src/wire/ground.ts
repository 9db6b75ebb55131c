import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { diskSessionFiles } from "../adapters/disk/files.ts";
import { type Lock, lockSession } from "../adapters/disk/lock.ts";
import type { GitWorkspaces } from "../adapters/git/workspaces.ts";
import type { GroundTaken, RunDirs } from "../app/means.ts";
import type { SessionFiles } from "../session/files.ts";

export type GroundOptions = {
  /** The session's own directory: its log, its blobs, its lock. */
  readonly home: string;
  readonly dirs: RunDirs;
  readonly workspaces: GitWorkspaces;
  readonly durability: "process" | "disk";
  /** Whether what an earlier run left in `home` is the session, or a leftover to be removed. */
  readonly keep: boolean;
  /**
   * Where given, leftovers stay until the session is first written here, and this is called right before they go: a
   * resume that is refused has changed nothing. The git directory is brought up to date instead.
   */
  readonly rewriting?: () => void;
  readonly locked: (lock: Lock) => void;
};

/** Takes the session's place on this machine. Closing it keeps the log, for `post` or a later run, and frees the lock. */
export async function takeGround(options: GroundOptions): Promise<GroundTaken> {
  const { home, dirs, workspaces, durability, keep, rewriting } = options;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const taken = await lockSession(home);
  if (taken.kind === "busy") {
    return {
      kind: "refused",
      code: "busy",
      why: `process ${taken.owner.pid} works on this session on this machine`,
    };
  }
  await using stack = new AsyncDisposableStack();
  stack.use(taken.lock);
  options.locked(taken.lock);
  const anew = async (spared: readonly string[]) => {
    if (!keep) await removeLeftovers(home, spared);
    return diskSessionFiles(home, { durability });
  };
  const later = (): ReturnType<typeof anew> => {
    rewriting?.();
    return anew(["lock", "git"]);
  };
  const files = stack.use(rewriting === undefined ? await anew(["lock"]) : atFirstUse(later));
  const owned = stack.move();
  return {
    kind: "taken",
    ground: {
      files,
      dirs,
      pin: async (target, { signal }) => {
        const pinned = await workspaces.pin(target, { signal });
        if (pinned.kind === "pinned") owned.use(pinned.workspace);
        return pinned;
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    },
  };
}

/** A file of an earlier run is never read by its fixed name (T69). What was cut off a log is read by nobody. */
async function removeLeftovers(home: string, spared: readonly string[]): Promise<void> {
  for (const name of await readdir(home)) {
    if (!spared.includes(name) && !/^torn-[0-9a-f]{64}$/.test(name))
      await rm(path.join(home, name), { recursive: true, force: true });
  }
}

type OpenFiles = SessionFiles & AsyncDisposable;

function atFirstUse(open: () => Promise<OpenFiles>): OpenFiles {
  let opened: Promise<OpenFiles> | null = null;
  const files = (): Promise<OpenFiles> => {
    opened ??= open();
    return opened;
  };
  return {
    read: async () => (await files()).read(),
    append: async (line, how) => (await files()).append(line, how),
    replaceManifest: async (bytes, how) => (await files()).replaceManifest(bytes, how),
    cut: async (to) => (await files()).cut(to),
    blobs: {
      put: async (bytes) => (await files()).blobs.put(bytes),
      get: async (digest) => (await files()).blobs.get(digest),
    },
    [Symbol.asyncDispose]: async () => (await opened)?.[Symbol.asyncDispose](),
  };
}
