import { expect, it } from "vitest";
import { type Entries, treeIdOf, withFiles } from "../../src/adapters/memory/git-objects.ts";
import type { Sha, Tree } from "../../src/base/hash.ts";
import type { CommitFile, Host } from "../../src/delivery/host.ts";

/** The files that a world's `main` begins with. */
export const baseFiles = { "a.txt": "one\n", "dir/b.txt": "two\n" } as const;

export type HostWorld = AsyncDisposable & {
  readonly host: Host;
  /** The commit on `main` that holds `baseFiles`. */
  readonly base: Sha;
  readonly issue: number;
  readonly lockedIssue: number;
  /** Somebody else's comment on `issue`. */
  readonly comment: (body: string) => Promise<void>;
  readonly closePull: (number: number) => Promise<void>;
  /** A person moves a branch by force: where the world allows it, between the host's next look and its write. */
  readonly rewind: (name: string, to: Sha) => void | Promise<void>;
};

const file = (path: string, text: string | null): CommitFile => ({
  path,
  mode: "100644",
  bytes: text === null ? null : Buffer.from(text),
});

export const baseEntries: Entries = withFiles(
  new Map(),
  Object.entries(baseFiles).map(([path, text]) => file(path, text)),
);
export const baseTree: Tree = treeIdOf(baseEntries);

const changed = [file("a.txt", null), file("dir/c.txt", "three\n"), file("z.bin", "\0\u00ff\n")];
const changedTree = treeIdOf(withFiles(baseEntries, changed));

type BranchWorld = Pick<HostWorld, "host" | "base" | "rewind" | typeof Symbol.asyncDispose>;

const ruleIn =
  <World extends AsyncDisposable>(make: () => Promise<World>) =>
  (title: string, test: (world: World) => Promise<void>) =>
    it(title, async () => {
      await using world = await make();
      await test(world);
    });

const commitOn = async ({ host }: BranchWorld, parent: Sha, message = "Change things") => {
  const made = await host.branch.commit({
    parent,
    parentTree: baseTree,
    tree: changedTree,
    files: changed,
    message,
  });
  if (made.kind !== "committed") throw new Error(made.why);
  return made.sha;
};

const branchAt = async (world: BranchWorld, name: string) => {
  const sha = await commitOn(world, world.base);
  expect(await world.host.branch.create(name, sha)).toEqual({ kind: "made" });
  return sha;
};

/** What every adapter of the port `Host` has to do with branches, also one that has nothing else. */
export function branchContract(make: () => Promise<BranchWorld>): void {
  const rule = ruleIn(make);

  rule("has no branch before it is created", async ({ host }) => {
    expect(await host.branch.find("agent/1-s")).toBeNull();
  });

  rule(
    "makes a commit of exactly the wanted tree, with additions, deletions and binary files",
    async (world) => {
      const sha = await branchAt(world, "agent/1-s");
      expect(await world.host.branch.find("agent/1-s")).toEqual({
        sha,
        tree: changedTree,
        parents: [world.base],
        message: expect.stringMatching(/^Change things\n*$/),
      });
    },
  );

  rule("throws, and publishes nothing, when the files make another tree", async ({ host, base }) => {
    const commit = {
      parent: base,
      parentTree: baseTree,
      tree: changedTree,
      files: changed.slice(1),
      message: "m",
    };
    await expect(host.branch.commit(commit)).rejects.toThrow(changedTree);
    expect(await host.branch.find("agent/1-s")).toBeNull();
  });

  rule("refuses to create a branch that exists, and leaves it where it is", async (world) => {
    const sha = await branchAt(world, "agent/1-s");
    const other = await commitOn(world, world.base, "Another");
    expect(await world.host.branch.create("agent/1-s", other)).toMatchObject({ code: "exists" });
    expect((await world.host.branch.find("agent/1-s"))?.sha).toBe(sha);
  });

  rule("moves a branch to a child of the expected commit", async (world) => {
    const { host, base } = world;
    await host.branch.create("agent/1-s", base);
    const to = await commitOn(world, base);
    expect(await host.branch.advance("agent/1-s", { from: base, to })).toEqual({ kind: "made" });
    expect((await host.branch.find("agent/1-s"))?.sha).toBe(to);
  });

  rule("does not move a branch that is not where it is expected", async (world) => {
    const { host, base } = world;
    const at = await branchAt(world, "agent/1-s");
    const to = await commitOn(world, base, "Another");
    expect(await host.branch.advance("agent/1-s", { from: base, to })).toMatchObject({ code: "moved" });
    expect(await host.branch.advance("agent/1-x", { from: base, to })).toMatchObject({ code: "gone" });
    expect((await host.branch.find("agent/1-s"))?.sha).toBe(at);
  });

  rule(
    "never brings back a commit that a person took off the branch between look and write (F65)",
    async (world) => {
      const { host, base } = world;
      const from = await branchAt(world, "agent/1-s");
      const to = await commitOn(world, from, "On top");
      await world.rewind("agent/1-s", base);
      const moved = await host.branch.advance("agent/1-s", { from, to });
      expect(moved).toMatchObject({ kind: "refused", code: "moved" });
      expect((await host.branch.find("agent/1-s"))?.sha).toBe(base);
    },
  );

  rule("moves a branch for one of two who expect the same commit", async (world) => {
    const { host, base } = world;
    await host.branch.create("agent/1-s", base);
    const commits = [await commitOn(world, base, "One"), await commitOn(world, base, "Two")];
    const moves = await Promise.all(
      commits.map((to) => host.branch.advance("agent/1-s", { from: base, to })),
    );
    expect(moves.map(({ kind }) => kind).sort()).toEqual(["made", "refused"]);
    const won = commits[moves.findIndex(({ kind }) => kind === "made")];
    expect((await host.branch.find("agent/1-s"))?.sha).toBe(won);
  });
}

/** What every adapter of the whole port `Host` has to do. */
export function hostContract(make: () => Promise<HostWorld>): void {
  branchContract(make);
  const rule = ruleIn(make);
  const pull = { branch: "agent/1-s", base: "main", title: "Fix", body: "Why", draft: true };

  rule("shows an issue, and null for one that is not there", async ({ host, issue }) => {
    const thread = await host.thread(issue);
    expect(thread).toMatchObject({ number: issue, kind: "issue", state: "open", locked: false, head: null });
    expect(await host.thread(987_654)).toBeNull();
  });

  rule("opens a pull request, finds it by its branch, and changes its body", async (world) => {
    const { host } = world;
    await branchAt(world, "agent/1-s");
    expect(await host.pullRequest.find("agent/1-s")).toEqual([]);
    const made = await host.pullRequest.open(pull);
    if (made.kind !== "made") throw new Error(made.why);
    expect(await host.pullRequest.find("agent/1-s")).toEqual([
      { number: made.id, url: made.url, state: "open", body: "Why" },
    ]);
    expect(await host.pullRequest.update(made.id, { body: "Better" })).toEqual(made);
    expect((await host.pullRequest.find("agent/1-s"))[0]?.body).toBe("Better");
  });

  rule("looks whether it may open a pull request, and opens none by that", async ({ host }) => {
    expect(await host.pullRequest.forbidden("main")).toBeNull();
    expect(await host.pullRequest.find("main")).toEqual([]);
  });

  rule("refuses a second pull request from the same branch, and still finds a closed one", async (world) => {
    const { host } = world;
    await branchAt(world, "agent/1-s");
    const made = await host.pullRequest.open(pull);
    expect(await host.pullRequest.open(pull)).toMatchObject({ code: "exists" });
    if (made.kind === "made") await world.closePull(made.id);
    expect(await host.pullRequest.find("agent/1-s")).toMatchObject([{ state: "closed" }]);
  });

  rule("refuses a pull request from a branch that does not exist", async ({ host }) => {
    expect(await host.pullRequest.open(pull)).toMatchObject({ kind: "refused", code: "rejected" });
  });

  rule(
    "finds its own comments by a part of them, never another's, past the first page (F38)",
    async ({ host, issue, comment }) => {
      await comment("mine <!-- marker -->");
      for (let number = 0; number < 101; number++) await comment(`talk ${number}`);
      const made = await host.comment.create(issue, "ours <!-- marker -->");
      if (made.kind !== "made") throw new Error(made.why);
      expect(await host.comment.find(issue, "<!-- marker -->")).toEqual([
        { id: made.id, url: made.url, body: "ours <!-- marker -->" },
      ]);
      expect(await host.comment.update(made.id, "ours, edited <!-- marker -->")).toEqual(made);
      expect(await host.comment.find(issue, "edited")).toHaveLength(1);
    },
  );

  rule("says that a thread is locked, or that there is none", async ({ host, lockedIssue }) => {
    expect((await host.thread(lockedIssue))?.locked).toBe(true);
    expect(await host.comment.create(lockedIssue, "hello")).toMatchObject({ code: "locked" });
    expect(await host.comment.create(987_654, "hello")).toMatchObject({ code: "gone" });
    expect(await host.comment.update(987_654, "hello")).toMatchObject({ code: "gone" });
  });

  rule("does not stop for a reaction that fails", async ({ host }) => {
    await expect(host.comment.react(987_654, "eyes")).resolves.toBeUndefined();
  });

  rule(
    "tells whose a recent comment is, and whether it has reacted to it",
    async ({ host, issue, comment }) => {
      await comment("somebody's");
      await host.comment.create(issue, "ours");
      const { signal } = new AbortController();
      const [theirs, ours, ...more] = await host.comment.recent(issue, { since: 0, signal });
      expect(more).toEqual([]);
      const somebody = { login: expect.any(String), id: expect.any(Number), type: "User" };
      expect(theirs).toMatchObject({ body: "somebody's", author: somebody, own: false, edited: false });
      expect(ours).toMatchObject({ body: "ours", author: { type: "Bot" }, own: true });
      expect(await host.comment.reacted(theirs?.id ?? 0, "eyes")).toBe(false);
      await host.comment.react(theirs?.id ?? 0, "eyes");
      expect(await host.comment.reacted(theirs?.id ?? 0, "eyes")).toBe(true);
      expect(await host.comment.reacted(theirs?.id ?? 0, "confused")).toBe(false);
    },
  );

  rule("finds what is new among recent comments when it looks again", async ({ host, issue, comment }) => {
    const { signal } = new AbortController();
    const bodies = async () => {
      const recent = await host.comment.recent(issue, { since: 0, signal });
      return recent.map(({ body }) => body);
    };
    expect([await bodies(), await bodies()]).toEqual([[], []]);
    await comment("one");
    expect([await bodies(), await bodies()]).toEqual([["one"], ["one"]]);
    for (let number = 2; number <= 100; number++) await comment(String(number));
    expect((await bodies()).at(-1)).toBe("100");
    await comment("101");
    expect((await bodies()).at(-1)).toBe("101");
    await comment("102");
    expect(await bodies()).toHaveLength(102);
  });
}
