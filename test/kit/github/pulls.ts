// Pull requests, within the repository and from forks; their heads are kept as refs/pull/<n>/head.
import {
  type Answer,
  answer,
  type Call,
  type FieldError,
  type Handlers,
  invalid,
  listAnswer,
  notAccessible,
  notFound,
  refuse,
  textOf,
} from "./answer.ts";
import { openThread, setState } from "./issues.ts";
import { refsFrom } from "./loose.ts";
import { changedFiles } from "./pull-files.ts";
import { pullShape, pullSimpleShape } from "./pull-shapes.ts";
import { ask, branchSha } from "./repository-reads.ts";
import { botLogin } from "./shapes.ts";
import { type Account, accountOf, mayPush, type Thread, threadOf, type World } from "./world.ts";

export function pullHandlers(world: World): Handlers {
  const withPull = (act: (thread: Thread, call: Call) => Answer | Promise<Answer>) => (call: Call) => {
    const thread = threadOf(world, call.params["pull_number"] ?? "");
    return thread?.pull ? act(thread, call) : notFound();
  };
  return {
    "pulls/create": (call) => createPull(world, call),
    "pulls/get": withPull(async (thread) => answer(200, await pullShape(world, thread))),
    "pulls/list": (call) => listPulls(world, call),
    "pulls/update": withPull((thread, call) => updatePull(world, thread, call)),
    "pulls/list-files": withPull(async (thread, { url }) => {
      const { base, head } = await rangeOf(world, thread);
      return listAnswer(url, await changedFiles(world, base, head));
    }),
  };
}

export function pullThreads(world: World): readonly Thread[] {
  return [...world.threads.values()].filter((thread) => thread.pull);
}

export type NewPull = NonNullable<Thread["pull"]> & Pick<Thread, "title" | "body" | "author">;

/** Opens a pull request whose head is at `sha`, without asking whether GitHub would. */
export async function openPull(world: World, sha: string, request: NewPull): Promise<Thread> {
  const { title, body, author, ...pull } = request;
  const thread = openThread(world, { title, body, author, pull });
  await world.bare.run(["update-ref", `refs/pull/${thread.number}/head`, sha]);
  return thread;
}

/**
 * Brings refs/pull/<n>/head to where the head branches are now. A pull request whose branch is gone is closed,
 * as GitHub does it.
 */
export async function followHeads(world: World): Promise<void> {
  const open = pullThreads(world).filter((thread) => thread.state === "open" && thread.pull?.fork === null);
  if (open.length === 0) return;
  const refs = new Map(refsFrom(world.bare.path, "refs/"));
  for (const thread of open) {
    const sha = refs.get(`refs/heads/${thread.pull?.head}`);
    const name = `refs/pull/${thread.number}/head`;
    if (sha === undefined) setState(world, thread, "closed", accountOf(world, world.owner));
    else if (refs.get(name) !== sha) await world.bare.run(["update-ref", name, sha]);
  }
}

export async function rangeOf(
  world: World,
  thread: Thread,
): Promise<{ readonly base: string; readonly head: string }> {
  const head = await ask(world, "rev-parse", "--verify", "--quiet", `refs/pull/${thread.number}/head`);
  const base = await branchSha(world, thread.pull?.base ?? "");
  if (head === undefined) throw new Error(`pull request ${thread.number} has no head ref`);
  return { head, base: base ?? head };
}

async function createPull(world: World, call: Call): Promise<Answer> {
  const { caller } = call;
  if (!caller) return refuse(401, "Requires authentication");
  if (caller.login === botLogin && !world.settings.actionsMayCreatePullRequests) {
    return refuse(403, "GitHub Actions is not permitted to create or approve pull requests.");
  }
  if (!mayPush(caller)) return notAccessible();
  const base = textOf(call, "base") ?? "";
  const [owner, head] = splitHead(world, textOf(call, "head") ?? "");
  const baseSha = await branchSha(world, base);
  if (baseSha === undefined) return invalid("PullRequest", "base");
  const headSha = owner === world.owner.toLowerCase() ? await branchSha(world, head) : undefined;
  if (headSha === undefined) return invalid("PullRequest", "head");
  const twin = pullThreads(world).find(
    (thread) =>
      thread.state === "open" && thread.pull?.head === head && thread.pull.base === base && !thread.pull.fork,
  );
  if (twin) return refused(`A pull request already exists for ${world.owner}:${head}.`);
  if ((await ask(world, "rev-list", "--count", `${baseSha}..${headSha}`)) === "0") {
    return refused(`No commits between ${base} and ${head}`);
  }
  const thread = await openPull(world, headSha, {
    ...pullOf(world, call, head, base),
    title: textOf(call, "title") ?? head,
    body: textOf(call, "body") ?? null,
    author: caller,
  });
  return answer(201, await pullShape(world, thread));
}

function pullOf(world: World, call: Call, head: string, base: string) {
  return {
    id: world.nextId(),
    head,
    base,
    fork: null,
    draft: call.body["draft"] === true,
    maintainerCanModify: call.body["maintainer_can_modify"] === true,
  };
}

function refused(message: string): Answer {
  const error: FieldError = { resource: "PullRequest", code: "custom", message };
  return refuse(422, "Validation Failed", [error]);
}

/** `branch` or `owner:branch`; the owner in lower case. */
function splitHead(world: World, head: string): readonly [string, string] {
  const colon = head.indexOf(":");
  return colon < 0
    ? [world.owner.toLowerCase(), head]
    : [head.slice(0, colon).toLowerCase(), head.slice(colon + 1)];
}

async function listPulls(world: World, { url }: Call): Promise<Answer> {
  const state = url.searchParams.get("state") ?? "open";
  const base = url.searchParams.get("base");
  const head = url.searchParams.get("head");
  const pulls = pullThreads(world)
    .filter((thread) => state === "all" || thread.state === state)
    .filter((thread) => base === null || thread.pull?.base === base)
    .filter((thread) => head === null || labelOf(world, thread).toLowerCase() === head.toLowerCase())
    .sort((a, b) => b.number - a.number);
  return listAnswer(url, await Promise.all(pulls.map((thread) => pullSimpleShape(world, thread))));
}

export function labelOf(world: World, thread: Thread): string {
  return `${thread.pull?.fork?.owner.login ?? world.owner}:${thread.pull?.head}`;
}

async function updatePull(world: World, thread: Thread, call: Call): Promise<Answer> {
  const caller: Account | undefined = call.caller;
  if (!caller || (caller !== thread.author && !mayPush(caller))) return notFound();
  const base = textOf(call, "base");
  if (base !== undefined && (await branchSha(world, base)) === undefined)
    return invalid("PullRequest", "base");
  thread.title = textOf(call, "title") ?? thread.title;
  thread.body = textOf(call, "body") ?? thread.body;
  if (base !== undefined && thread.pull) thread.pull.base = base;
  const state = textOf(call, "state");
  if (state === "open" || state === "closed") setState(world, thread, state, caller);
  thread.updatedAt = world.now();
  return answer(200, await pullShape(world, thread));
}
