import { describe, expect, it } from "vitest";
import { type MemoryGitHub, memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import { memoryPatches } from "../../src/adapters/memory/patches.ts";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { type Host, HostForbidden, HostUnavailable } from "../../src/delivery/host.ts";
import { markerOf } from "../../src/delivery/marker.ts";
import { probeEffect } from "../../src/delivery/probe.ts";
import { sealKeyOf } from "../../src/session/shipment.ts";
import { sessionId } from "../kit/given.ts";

const session = sessionId();
const key = sealKeyOf("a key that is long enough", 1);
const otherKey = sealKeyOf("another key that is long enough", 1);
const thread = { kind: "issue", number: 7 } as const;
const [parent, head, elsewhere] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [Sha, Sha, Sha];
const [tree, otherTree] = ["a", "b"].map((digit) => digit.repeat(40)) as [Tree, Tree];

const intents = {
  branch: JSON.stringify({ branch: "agent/7", parent, tree }),
  "branch/2": JSON.stringify({ branch: "agent/7", parent, tree, commit: head }),
  "pull-request": JSON.stringify({ branch: "agent/7", base: "main" }),
  comment: JSON.stringify({ thread: 7 }),
  "question/toolu_1": JSON.stringify({ thread: 7 }),
  "approval/toolu_1": JSON.stringify({ thread: 7 }),
  patch: JSON.stringify({ name: "agent-patch-s1-a" }),
  "held-back": JSON.stringify({ name: "agent-patch-s1-b" }),
};

/** Of a run before. */
const stored = [{ name: "agent-patch-s1-a", run: "100", patch: Buffer.from("a") }];

function probe(what: string, host: Host, over: { detail?: string; thread?: null } = {}) {
  const detail = over.detail ?? intents[what as keyof typeof intents] ?? "";
  const patches = memoryPatches({ run: "101", patches: { stored } });
  const options = { host, patches, runs: ["100", "101"], key, thread: over.thread === null ? null : thread };
  return probeEffect({ session, key: `${session}/${what}`, detail }, options);
}

/** A GitHub on which the branch stands at a commit. */
function withBranch(commit: { tree: Tree; parents: readonly Sha[] }): Host {
  const commits = new Map([[head, { ...commit, entries: null }]]);
  return memoryHost(memoryGitHub({ commits, branches: new Map([["agent/7", head]]) }));
}

function withPull(body: string, branch = "agent/7"): Host {
  const pull = { number: 8, branch, base: "main", title: "t", draft: true, body, state: "open" as const };
  return memoryHost(memoryGitHub({ pulls: [pull] }));
}

function withComment(body: string, over: Partial<MemoryGitHub["comments"][number]> = {}): Host {
  const comment = { id: 5, thread: 7, author: "github-actions[bot]", body, ...over };
  return memoryHost(memoryGitHub({ comments: [comment] }));
}

const none = memoryHost(memoryGitHub());
const marker = (what: Parameters<typeof markerOf>[2]) => markerOf(key, session, what);

describe("an effect that was intended and not settled", () => {
  it.each([
    ["branch", "there is none", none, "absent", "no branch agent/7"],
    ["branch", "it holds our files on our parent", withBranch({ tree, parents: [parent] }), "done", head],
    ["branch/2", "it has a number", withBranch({ tree, parents: [parent] }), "done", head],
    ["branch", "it holds other files", withBranch({ tree: otherTree, parents: [parent] }), "absent", head],
    ["branch", "it stands on another parent", withBranch({ tree, parents: [elsewhere] }), "absent", head],
    ["branch", "it is a merge", withBranch({ tree, parents: [parent, elsewhere] }), "absent", head],
    ["branch", "it has no parent", withBranch({ tree, parents: [] }), "absent", head],
    ["pull-request", "there is none", none, "absent", "no pull request of ours"],
    ["pull-request", "it has our marker", withPull(`x ${marker("pull-request")}`), "done", "8"],
    ["pull-request", "it has no marker", withPull("x"), "absent", "no pull request of ours"],
    ["pull-request", "it has the comment's marker", withPull(marker("comment")), "absent", "no pull"],
    ["pull-request", "it is from another branch", withPull(marker("pull-request"), "x"), "absent", "no pull"],
    ["comment", "there is none", none, "absent", "no comment of ours on #7"],
    ["comment", "it has our marker", withComment(`${marker("comment")} x`), "done", "5"],
    [
      "comment",
      "its marker is of another key",
      withComment(markerOf(otherKey, session, "comment")),
      "absent",
      "",
    ],
    ["comment", "somebody else wrote it", withComment(marker("comment"), { author: "octo" }), "absent", ""],
    ["comment", "it is on another thread", withComment(marker("comment"), { thread: 9 }), "absent", ""],
    ["question/toolu_1", "there is none", none, "absent", "no comment of ours on #7"],
    ["question/toolu_1", "it has our marker", withComment(marker("question/toolu_1")), "done", "5"],
    ["question/toolu_1", "it is of another call", withComment(marker("question/toolu_2")), "absent", ""],
    ["question/toolu_1", "it is the status comment", withComment(marker("comment")), "absent", ""],
    ["approval/toolu_1", "it has our marker", withComment(marker("approval/toolu_1")), "done", "5"],
    ["patch", "a run of the session stored it", none, "done", "agent-patch-s1-a"],
    ["held-back", "no run of the session did", none, "absent", "no patch agent-patch-s1-b"],
    ["approval/toolu_1", "it asks something else", withComment(marker("question/toolu_1")), "absent", ""],
  ])("(%s) where %s", async (what, _where, host, status, detail) => {
    const probed = await probe(what, host);
    expect(probed.status).toBe(status);
    expect("detail" in probed ? probed.detail : "").toContain(detail);
  });

  it.each([
    ["an effect of a kind that this version does not know", probe("review", none)],
    ["a branch without a name", probe("branch", none, { detail: "{}" })],
    ["a pull request whose intent is no JSON", probe("pull-request", none, { detail: "x" })],
    ["a patch without a name", probe("patch", none, { detail: "{}" })],
    ["a comment of a session without a thread", probe("comment", none, { thread: null })],
    ["a question of a session without a thread", probe("question/toolu_1", none, { thread: null })],
  ])("is in doubt where nothing says how to look it up: %s", async (_title, probed) => {
    expect(await probed).toEqual({ status: "unknown", why: "nothing says how to look it up" });
  });

  it("is in doubt while GitHub gives no answer", async () => {
    const find = () => Promise.reject(new HostUnavailable("no answer"));
    const host = { ...none, branch: { ...none.branch, find } };
    expect(await probe("branch", host)).toEqual({ status: "unknown", why: "no answer" });
  });

  it.each([new HostForbidden("issues: read is missing"), new TypeError("a fault of ours")])(
    "lets through what no time mends: %s",
    async (error) => {
      const host = { ...none, branch: { ...none.branch, find: () => Promise.reject(error) } };
      await expect(probe("branch", host)).rejects.toBe(error);
    },
  );
});
