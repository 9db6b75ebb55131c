import { describe, expect, it } from "vitest";
import { memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha } from "../../src/base/hash.ts";
import { deliver, type Work } from "../../src/delivery/deliver.ts";
import { type Host, HostUnavailable } from "../../src/delivery/host.ts";
import { base, before, given, losing, lost, target, tree, work } from "./given-delivery.ts";

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
      "effect.intended branch",
      "create branch",
      "effect.settled branch",
      "find branch",
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

  it.each([
    ["somebody pushed to it", (branches: Map<string, Sha>) => branches.set(target.name, base), "moved"],
    ["it is gone", (branches: Map<string, Sha>) => branches.delete(target.name), "gone"],
  ] as const)(
    "opens nothing from a branch that is another after it was written: %s",
    async (_, change, code) => {
      const { github, tools } = given();
      const host = memoryHost(github);
      const changes: Host = {
        ...host,
        branch: {
          ...host.branch,
          create: async (...asked) => {
            const made = await host.branch.create(...asked);
            change(github.branches);
            return made;
          },
        },
      };
      expect(await deliver(work, tools(changes))).toMatchObject({ kind: "refused", effect: "branch", code });
      expect(github.pulls).toEqual([]);
    },
  );

  it("makes nothing a second time, however often it is called", async () => {
    const { github, tools } = given();
    const first = await deliver(work, tools());
    expect(await deliver(work, tools())).toEqual(first);
    expect(await deliver(work, tools())).toEqual(first);
    expect([github.pulls.length, github.branches.size]).toEqual([1, 2]);
  });

  it.each(["create", "open"] as const)(
    "finds what it made when the answer to %s was lost (F29, F31)",
    async (which) => {
      const { github, events, tools } = given();
      const delivered = await deliver(work, tools(losing(memoryHost(github), which)));
      expect(delivered).toMatchObject({ kind: "pull-request", number: 8 });
      expect(
        events
          .filter(({ type }) => type === "effect.settled")
          .map((event) => "status" in event && event.status),
      ).toEqual(["done", "done"]);
      expect(github.pulls).toHaveLength(1);
    },
  );

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

  it("does not wait for a branch whose commit could not be made", async () => {
    const { github, events, order, tools } = given();
    const host = memoryHost(github);
    const asked = tools({ ...host, branch: { ...host.branch, commit: async () => lost } });
    expect(await deliver(work, asked)).toMatchObject({ effect: "branch", code: "unavailable" });
    expect([asked.clock.elapsed(), events.length]).toEqual([0, 1]);
    expect(order.filter((one) => one === "find branch")).toHaveLength(1);
  });

  it("does not take over a branch with other content (F29)", async () => {
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
    const onPull: Work = { ...work, target: { kind: "pull-request", name: "topic", number: 7 } };
    expect(await deliver(onPull, tools())).toMatchObject({ effect: "branch", code: "moved" });
    expect([github.branches.get(target.name), github.branches.get("topic")]).toEqual([impostor, impostor]);
    expect(order.filter((one) => one === "commit")).toEqual([]);
  });

  it("keeps the branch where the settings forbid the pull request (F32)", async () => {
    const { github, tools } = given({ mayOpenPullRequests: false });
    const delivered = await deliver(work, tools());
    expect(delivered).toMatchObject({ kind: "not-permitted", branch: target.name });
    expect("head" in delivered && delivered.head).toBe(github.branches.get(target.name));
  });

  it("adopts a pull request with our marker and brings its body up to date (F31)", async () => {
    const { github, tools } = given();
    await deliver(work, tools());
    const better = { ...work.pullRequest, body: "better <!-- ours -->" };
    expect(await deliver({ ...work, pullRequest: better }, tools())).toMatchObject({ number: 8 });
    expect(github.pulls.map(({ body }) => body)).toEqual(["better <!-- ours -->"]);
  });

  it("opens no second pull request beside one that a person closed, or that is not ours (F31, F37)", async () => {
    const { github, tools } = given();
    await deliver(work, tools());
    for (const pull of github.pulls) pull.state = "closed";
    expect(await deliver(work, tools())).toMatchObject({ effect: "pull-request", code: "gone" });
    for (const pull of github.pulls) Object.assign(pull, { state: "open", body: "mine now" });
    expect(await deliver(work, tools())).toMatchObject({ effect: "pull-request", code: "exists" });
    expect(github.pulls).toHaveLength(1);
  });

  it("moves a pull request's branch from exactly the commit the work began on (F37)", async () => {
    const { github, order, tools } = given();
    github.branches.set("topic", base);
    const onPull: Work = { ...work, target: { kind: "pull-request", name: "topic", number: 7 } };
    expect(await deliver(onPull, tools())).toEqual({
      kind: "pushed",
      branch: "topic",
      head: github.branches.get("topic"),
    });
    expect(order).toContain("advance branch");
    github.branches.set("topic", "2".repeat(40) as Sha);
    github.commits.set("2".repeat(40) as Sha, { tree: work.parent.tree, parents: [base], entries: before });
    expect(await deliver(onPull, tools())).toMatchObject({ code: "moved" });
    github.branches.delete("topic");
    expect(await deliver(onPull, tools())).toMatchObject({ code: "gone" });
  });

  it("puts no commit on the branch of a pull request that was closed or merged meanwhile (F37)", async () => {
    const { github, order, tools } = given();
    github.branches.set("topic", base);
    const onPull: Work = { ...work, target: { kind: "pull-request", name: "topic", number: 7 } };
    const thread = github.threads.get(7);
    if (thread) github.threads.set(7, { ...thread, state: "closed" });
    expect(await deliver(onPull, tools())).toMatchObject({
      code: "gone",
      why: expect.stringContaining("#7"),
    });
    github.threads.delete(7);
    expect(await deliver(onPull, tools())).toMatchObject({
      code: "gone",
      why: expect.stringContaining("#7"),
    });
    expect([github.branches.get("topic"), order.includes("commit")]).toEqual([base, false]);
  });

  it("names the commit in the log before anything names it at GitHub", async () => {
    const { github, events, tools } = given();
    const host = memoryHost(github);
    const create: Host["branch"]["create"] = async (name, sha) => {
      expect(events.at(-1)).toMatchObject({ type: "effect.intended", key: work.branchKey });
      const last = events.at(-1);
      expect(last && "detail" in last && JSON.parse(last.detail ?? "")).toEqual({
        ...{ branch: name, parent: base, tree, commit: sha },
      });
      return host.branch.create(name, sha);
    };
    const delivered = await deliver(work, tools({ ...host, branch: { ...host.branch, create } }));
    expect(delivered).toMatchObject({ kind: "pull-request", head: github.branches.get(target.name) });
  });

  it("does not publish a tree that the files do not make", async () => {
    const { github, tools } = given();
    await expect(deliver({ ...work, files: [] }, tools())).rejects.toThrow(tree);
    expect(github.branches.has(target.name)).toBe(false);
  });
});
