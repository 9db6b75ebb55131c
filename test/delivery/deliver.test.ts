import { describe, expect, it } from "vitest";
import { type Entries, treeIdOf, withFiles } from "../../src/adapters/memory/git-objects.ts";
import { type MemoryGitHub, memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha } from "../../src/base/hash.ts";
import { deliver, type Target, type Work } from "../../src/delivery/deliver.ts";
import { type Host, HostUnavailable } from "../../src/delivery/host.ts";
import { openComment } from "../../src/delivery/open-comment.ts";
import type { Passed } from "../../src/gate/verdict.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { handClock, sessionId } from "../kit/given.ts";

const session = sessionId();
const base = "1".repeat(40) as Sha;
const files = [{ path: "a.txt", mode: "100644" as const, bytes: Buffer.from("two\n") }];
const before: Entries = withFiles(new Map(), [{ ...files[0], bytes: Buffer.from("one\n") } as never]);
const tree = treeIdOf(withFiles(before, files));
const target: Target = { kind: "new-branch", name: `agent/7-${session}`, base: "main" };

const work: Work = {
  session,
  passed: { tree, definitions: "d", round: 1 } as unknown as Passed,
  parent: { sha: base, tree: treeIdOf(before) },
  files,
  message: "Fix it",
  target,
  pullRequest: { title: "Fix it", body: "why <!-- ours -->", marker: "<!-- ours -->", draft: true },
};

function given(over: Partial<MemoryGitHub> = {}) {
  const github = memoryGitHub({
    commits: new Map([[base, { tree: treeIdOf(before), parents: [], entries: before }]]),
    branches: new Map([["main", base]]),
    threads: new Map([
      [
        7,
        {
          number: 7,
          kind: "issue",
          title: "A bug",
          body: "",
          author: "octo",
          state: "open",
          locked: false,
          head: null,
          base: null,
        },
      ],
    ]),
    nextId: 100,
    ...over,
  });
  const events: SessionEvent[] = [];
  const order: string[] = [];
  return {
    github,
    events,
    order,
    tools: (host: Host = memoryHost(github), fence: string | null = null) => ({
      fenced: async () => fence,
      clock: handClock(),
      signal: new AbortController().signal,
      host: noted(host, order),
      append: async (event: SessionEvent) => {
        events.push(event);
        order.push(`${event.type} ${"key" in event ? event.key.slice(session.length + 1) : ""}`);
      },
      shipped: async () => {
        order.push("shipped");
      },
    }),
  };
}

/** Notes what is done, in order. */
function noted(host: Host, order: string[]): Host {
  const note = <A extends readonly unknown[], R>(name: string, act: (...args: A) => R) => {
    return (...args: A) => {
      order.push(name);
      return act(...args);
    };
  };
  const { branch, pullRequest, comment } = host;
  return {
    ...host,
    branch: {
      find: note("find branch", branch.find),
      commit: note("commit", branch.commit),
      create: note("create branch", branch.create),
      advance: note("advance branch", branch.advance),
    },
    pullRequest: {
      find: note("find pull request", pullRequest.find),
      open: note("open pull request", pullRequest.open),
      update: note("update pull request", pullRequest.update),
    },
    comment: {
      ...comment,
      find: note("find comment", comment.find),
      create: note("create comment", comment.create),
    },
  };
}

const lost = { kind: "refused", code: "unavailable", why: "the connection broke" } as const;

/** A host whose named write happens while its answer is lost. */
function losing(host: Host, which: "create" | "open" | "comment"): Host {
  const after = <A extends readonly unknown[]>(act: (...args: A) => Promise<unknown>) => {
    return async (...args: A) => {
      await act(...args);
      return lost;
    };
  };
  const { branch, pullRequest, comment } = host;
  return {
    ...host,
    branch: which === "create" ? { ...branch, create: after(branch.create) } : branch,
    pullRequest: which === "open" ? { ...pullRequest, open: after(pullRequest.open) } : pullRequest,
    comment: which === "comment" ? { ...comment, create: after(comment.create) } : comment,
  };
}

describe("delivery", () => {
  it("records and ships each intent, looks up, and only then makes it", async () => {
    const { github, events, order, tools } = given();
    const delivered = await deliver(work, tools());
    expect(delivered).toMatchObject({ kind: "pull-request", branch: target.name, number: 8 });
    expect(order).toEqual([
      "effect.intended branch",
      "shipped",
      "find branch",
      "commit",
      "create branch",
      "effect.settled branch",
      "effect.intended pull-request",
      "shipped",
      "find pull request",
      "open pull request",
      "effect.settled pull-request",
    ]);
    expect(events.at(-1)).toMatchObject({
      status: "done",
      detail: "8",
      url: "https://github.example/o/r/pull/8",
    });
    expect(github.pulls).toMatchObject([{ branch: target.name, base: "main", draft: true }]);
  });

  it("makes nothing a second time, however often it is called", async () => {
    const { github, tools } = given();
    const first = await deliver(work, tools());
    expect(await deliver(work, tools())).toEqual(first);
    expect(await deliver(work, tools())).toEqual(first);
    expect([github.pulls.length, github.branches.size]).toEqual([1, 2]);
  });

  it.each(["create", "open"] as const)("finds what it made when the answer to %s was lost", async (which) => {
    const { github, events, tools } = given();
    const delivered = await deliver(work, tools(losing(memoryHost(github), which)));
    expect(delivered).toMatchObject({ kind: "pull-request", number: 8 });
    expect(
      events
        .filter(({ type }) => type === "effect.settled")
        .map((event) => "status" in event && event.status),
    ).toEqual(["done", "done"]);
    expect(github.pulls).toHaveLength(1);
  });

  it("leaves the intent open when nobody can tell, and goes on from there", async () => {
    const { github, events, tools } = given();
    const host = memoryHost(github);
    const find = async () => {
      throw new HostUnavailable("cannot look up the branch");
    };
    const stuck = { ...host, branch: { ...host.branch, find } };
    expect(await deliver(work, tools(stuck))).toMatchObject({
      kind: "refused",
      effect: "branch",
      code: "unavailable",
    });
    expect(events.map(({ type }) => type)).toEqual(["effect.intended"]);
    expect(await deliver(work, tools())).toMatchObject({ kind: "pull-request" });
  });

  it("does not take over a branch with other content", async () => {
    const { github, events, tools } = given();
    github.branches.set(target.name, base);
    const delivered = await deliver(work, tools());
    expect(delivered).toMatchObject({ kind: "refused", effect: "branch", code: "exists", head: null });
    expect(events.at(-1)).toMatchObject({ type: "effect.settled", status: "refused" });
    expect(github.branches.get(target.name)).toBe(base);
  });

  const elsewhere = "2".repeat(40) as Sha;
  const impostor = "3".repeat(40) as Sha;
  it.each([
    ["stands on another parent", [elsewhere]],
    ["merges our parent with another", [base, elsewhere]],
    ["has no parent", []],
  ] as const)("takes no commit for its own that holds the same files and %s", async (_title, parents) => {
    const { github, order, tools } = given();
    github.commits.set(impostor, { tree, parents, entries: null });
    github.branches.set(target.name, impostor);
    expect(await deliver(work, tools())).toMatchObject({ effect: "branch", code: "exists" });
    github.branches.set("topic", impostor);
    const onPull: Work = { ...work, target: { kind: "pull-request", name: "topic" } };
    expect(await deliver(onPull, tools())).toMatchObject({ effect: "branch", code: "rejected" });
    expect([github.branches.get(target.name), github.branches.get("topic")]).toEqual([impostor, impostor]);
    expect(order.filter((one) => one === "commit")).toEqual([]);
  });

  it("keeps the branch where the settings forbid the pull request", async () => {
    const { github, tools } = given({ mayOpenPullRequests: false });
    const delivered = await deliver(work, tools());
    expect(delivered).toMatchObject({ kind: "not-permitted", branch: target.name });
    expect("head" in delivered && delivered.head).toBe(github.branches.get(target.name));
  });

  it("adopts a pull request with our marker and brings its body up to date", async () => {
    const { github, tools } = given();
    await deliver(work, tools());
    const better = { ...work.pullRequest, body: "better <!-- ours -->" };
    expect(await deliver({ ...work, pullRequest: better }, tools())).toMatchObject({ number: 8 });
    expect(github.pulls.map(({ body }) => body)).toEqual(["better <!-- ours -->"]);
  });

  it("opens no second pull request beside one that a person closed, or that is not ours", async () => {
    const { github, tools } = given();
    await deliver(work, tools());
    for (const pull of github.pulls) pull.state = "closed";
    expect(await deliver(work, tools())).toMatchObject({ effect: "pull-request", code: "gone" });
    for (const pull of github.pulls) Object.assign(pull, { state: "open", body: "mine now" });
    expect(await deliver(work, tools())).toMatchObject({ effect: "pull-request", code: "exists" });
    expect(github.pulls).toHaveLength(1);
  });

  it("moves a pull request's branch from exactly the commit the work began on", async () => {
    const { github, order, tools } = given();
    github.branches.set("topic", base);
    const onPull: Work = { ...work, target: { kind: "pull-request", name: "topic" } };
    expect(await deliver(onPull, tools())).toEqual({
      kind: "pushed",
      branch: "topic",
      head: github.branches.get("topic"),
    });
    expect(order).toContain("advance branch");
    github.branches.set("topic", "2".repeat(40) as Sha);
    github.commits.set("2".repeat(40) as Sha, { tree: work.parent.tree, parents: [base], entries: before });
    expect(await deliver(onPull, tools())).toMatchObject({ code: "rejected" });
    github.branches.delete("topic");
    expect(await deliver(onPull, tools())).toMatchObject({ code: "gone" });
  });

  it("does not publish a tree that the files do not make", async () => {
    const { github, tools } = given();
    await expect(deliver({ ...work, files: [] }, tools())).rejects.toThrow(tree);
    expect(github.branches.has(target.name)).toBe(false);
  });
});

describe("the session's comment", () => {
  const comment = { session, thread: 7, body: "one <!-- m -->", marker: "<!-- m -->" };

  it("is made once, found again, and brought up to date", async () => {
    const { github, tools } = given();
    const made = await openComment(comment, tools());
    const again = await openComment({ ...comment, body: "two <!-- m -->" }, tools());
    expect(made.kind === "done" && again.kind === "done" && again.value).toEqual(
      made.kind === "done" && made.value,
    );
    expect(github.comments.map(({ body }) => body)).toEqual(["two <!-- m -->"]);
  });

  it("is found when the answer to making it was lost", async () => {
    const { github, tools } = given();
    expect(await openComment(comment, tools(losing(memoryHost(github), "comment")))).toMatchObject({
      kind: "done",
    });
    expect(github.comments).toHaveLength(1);
  });

  it.each([0, 1, 3, 10])(
    "is never made twice where GitHub lost its answer and shows it after %i seconds (F35)",
    async (seconds) => {
      const { github, tools } = given();
      const asked = tools(losing(memoryHost(github), "comment"));
      const { clock, host } = asked;
      let madeAt = Number.POSITIVE_INFINITY;
      const late: Host["comment"] = {
        ...host.comment,
        create: async (...args) => {
          madeAt = clock.elapsed();
          return host.comment.create(...args);
        },
        find: async (...args) =>
          clock.elapsed() - madeAt < seconds * 1000 ? [] : host.comment.find(...args),
      };
      const made = await openComment(comment, { ...asked, host: { ...host, comment: late } });
      expect(made).toMatchObject({ kind: "done" });
      expect(github.comments).toHaveLength(1);
      expect(clock.elapsed()).toBeGreaterThanOrEqual(seconds * 1000);
    },
  );

  it("is made again where it is not there long after the answer was lost, and not a third time", async () => {
    const { github, order, events, tools } = given();
    const never = { ...memoryHost(github).comment, create: async () => lost };
    const made = await openComment(comment, tools({ ...memoryHost(github), comment: never }));
    expect(made).toEqual(lost);
    expect(order.filter((one) => one === "create comment")).toHaveLength(2);
    expect(events.map(({ type }) => type)).toEqual(["effect.intended"]);
    let times = 0;
    const once: Host["comment"] = {
      ...never,
      create: async (...args) => {
        times += 1;
        return times === 1 ? lost : memoryHost(github).comment.create(...args);
      },
    };
    const again = await openComment(comment, tools({ ...memoryHost(github), comment: once }));
    expect([again.kind, github.comments.length]).toEqual(["done", 1]);
  });

  it("is not made again by a run that another one has replaced meanwhile", async () => {
    const { github, tools, order } = given();
    const never = { ...memoryHost(github).comment, create: async () => lost };
    const asked = tools({ ...memoryHost(github), comment: never });
    const fenced = async () => (asked.clock.elapsed() > 0 ? "run 9 goes on with it" : null);
    expect(await openComment(comment, { ...asked, fenced })).toMatchObject({ code: "fenced" });
    expect(order.filter((one) => one === "create comment")).toHaveLength(1);
  });

  it("is not made by a run that another one has replaced, and is still its own to find", async () => {
    const { github, tools, events } = given();
    const replaced = tools(memoryHost(github), "run 9 goes on with it");
    expect(await openComment(comment, replaced)).toMatchObject({ kind: "refused", code: "fenced" });
    expect(github.comments).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(["effect.intended"]);
    await openComment(comment, tools());
    expect(await openComment(comment, replaced)).toMatchObject({ kind: "done" });
  });

  it("is refused on a locked thread", async () => {
    const { github, tools } = given();
    const thread = github.threads.get(7);
    if (thread) github.threads.set(7, { ...thread, locked: true });
    expect(await openComment(comment, tools())).toMatchObject({ kind: "refused", code: "locked" });
  });
});
