// A delivery to a GitHub in memory, whose steps are noted.
import { type Entries, treeIdOf, withFiles } from "../../src/adapters/memory/git-objects.ts";
import { type MemoryGitHub, memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha } from "../../src/base/hash.ts";
import type { Target, Work } from "../../src/delivery/deliver.ts";
import type { Host } from "../../src/delivery/host.ts";
import type { Passed } from "../../src/gate/verdict.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { handClock, sessionId } from "../kit/given.ts";

export const session = sessionId();
export const base = "1".repeat(40) as Sha;
const files = [{ path: "a.txt", mode: "100644" as const, bytes: Buffer.from("two\n") }];
export const before: Entries = withFiles(new Map(), [{ ...files[0], bytes: Buffer.from("one\n") } as never]);
export const tree = treeIdOf(withFiles(before, files));
export const target: Target = { kind: "new-branch", name: `agent/7-${session}`, base: "main" };

export const work: Work = {
  session,
  passed: { tree, definitions: "d", round: 1 } as unknown as Passed,
  parent: { sha: base, tree: treeIdOf(before) },
  files,
  message: "Fix it",
  target,
  branchKey: `${session}/branch`,
  pullRequest: { title: "Fix it", body: "why <!-- ours -->", marker: "<!-- ours -->", draft: true },
};

export function given(over: Partial<MemoryGitHub> = {}) {
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
      ...pullRequest,
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

export const lost = { kind: "refused", code: "unavailable", why: "the connection broke" } as const;

/** A host whose named write happens while its answer is lost. */
export function losing(host: Host, which: "create" | "open" | "comment"): Host {
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
