// Issues, their comments, reactions and timeline.
import {
  type Answer,
  answer,
  type Call,
  type Handlers,
  invalid,
  listAnswer,
  notFound,
  refuse,
  textOf,
} from "./answer.ts";
import { htmlOf } from "./attachments.ts";
import {
  apiUrl,
  association,
  commentShape,
  commentsOf,
  issueShape,
  nodeId,
  reactionShape,
  viaApp,
} from "./shapes.ts";
import type { Account, Comment, Reaction, ReactionContent, Thread, ThreadEvent, World } from "./world.ts";
import { mayPush, nextThreadNumber, threadOf } from "./world.ts";

const bodyCharactersMax = 65536;

export function issueHandlers(world: World): Handlers {
  const withThread = (act: (thread: Thread, call: Call) => Answer) => (call: Call) => {
    const thread = threadOf(world, call.params["issue_number"] ?? "");
    return thread ? act(thread, call) : notFound();
  };
  const withComment = (act: (comment: Comment, call: Call) => Answer) => (call: Call) => {
    const comment = world.comments.get(Number(call.params["comment_id"]));
    return comment ? act(comment, call) : notFound();
  };
  return {
    "issues/create": (call) => {
      const author = call.caller ?? null;
      const thread = openThread(world, {
        title: textOf(call, "title") ?? "",
        body: textOf(call, "body") ?? null,
        author,
      });
      return answer(201, issueShape(world, thread));
    },
    "issues/get": withThread((thread, call) =>
      answer(200, { ...issueShape(world, thread), ...htmlOf(world, thread.body, call) }),
    ),
    "issues/list-for-repo": (call) => listThreads(world, call),
    "issues/update": withThread((thread, call) => updateThread(world, thread, call)),
    "issues/create-comment": withThread((thread, call) => createComment(world, thread, call)),
    "issues/list-comments": withThread((thread, { url }) => {
      const since = url.searchParams.get("since");
      const comments = commentsOf(world, thread.number).filter(
        (comment) => since === null || Date.parse(comment.updatedAt) >= Date.parse(since),
      );
      return listAnswer(
        url,
        comments.map((comment) => commentShape(world, comment)),
      );
    }),
    "issues/get-comment": withComment((comment, call) =>
      answer(200, { ...commentShape(world, comment), ...htmlOf(world, comment.body, call) }),
    ),
    "issues/update-comment": withComment((comment, call) => {
      const body = textOf(call, "body") ?? "";
      if (body.length > bodyCharactersMax) return tooLong();
      comment.body = body;
      comment.updatedAt = world.now();
      return answer(200, commentShape(world, comment));
    }),
    "issues/list-events-for-timeline": withThread((thread, { url }) =>
      listAnswer(url, timeline(world, thread)),
    ),
    "reactions/create-for-issue": withThread((thread, call) =>
      react(world, { kind: "issue", id: thread.number }, call),
    ),
    "reactions/list-for-issue": withThread((thread, { url }) =>
      listReactions(world, { kind: "issue", id: thread.number }, url),
    ),
    "reactions/create-for-issue-comment": withComment((comment, call) =>
      react(world, { kind: "comment", id: comment.id }, call),
    ),
    "reactions/list-for-issue-comment": withComment((comment, { url }) =>
      listReactions(world, { kind: "comment", id: comment.id }, url),
    ),
  };
}

export type NewThread = Pick<Thread, "title" | "body" | "author"> & Pick<Partial<Thread>, "pull">;

export function openThread(world: World, { title, body, author, pull }: NewThread): Thread {
  const at = world.now();
  const thread: Thread = {
    number: nextThreadNumber(world),
    id: world.nextId(),
    author,
    title,
    body,
    state: "open",
    stateReason: null,
    locked: false,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    ...(pull && { pull }),
  };
  world.threads.set(thread.number, thread);
  return thread;
}

export function addComment(world: World, thread: Thread, body: string, author: Account | null): Comment {
  const at = world.now();
  const comment: Comment = {
    id: world.nextId(),
    thread: thread.number,
    author,
    body,
    createdAt: at,
    updatedAt: at,
  };
  world.comments.set(comment.id, comment);
  thread.updatedAt = at;
  return comment;
}

export function setState(world: World, thread: Thread, state: Thread["state"], actor: Account): void {
  if (thread.state === state) return;
  thread.state = state;
  thread.stateReason = state === "closed" ? (thread.pull ? null : "completed") : "reopened";
  thread.updatedAt = world.now();
  thread.closedAt = state === "closed" ? thread.updatedAt : null;
  record(world, thread, state === "closed" ? "closed" : "reopened", actor);
}

export function setLocked(world: World, thread: Thread, locked: boolean, actor: Account): void {
  thread.locked = locked;
  record(world, thread, locked ? "locked" : "unlocked", actor);
}

function record(world: World, thread: Thread, event: ThreadEvent["event"], actor: Account): void {
  world.events.push({ id: world.nextId(), thread: thread.number, event, actor, createdAt: world.now() });
}

function createComment(world: World, thread: Thread, call: Call): Answer {
  // Locked means: only people with write access, and an app is none of them.
  if (thread.locked && (call.caller?.kind === "bot" || !mayPush(call.caller))) {
    return refuse(403, "Unable to create comment because issue is locked.");
  }
  const body = textOf(call, "body") ?? "";
  if (body.trim() === "") return invalid("IssueComment", "body", "missing_field");
  if (body.length > bodyCharactersMax) return tooLong();
  return answer(201, commentShape(world, addComment(world, thread, body, call.caller ?? null)));
}

function tooLong(): Answer {
  return refuse(422, "Validation Failed", [
    {
      resource: "IssueComment",
      code: "unprocessable",
      field: "data",
      message: `Body is too long (maximum is ${bodyCharactersMax} characters)`,
    },
  ]);
}

function listThreads(world: World, { url }: Call): Answer {
  const state = url.searchParams.get("state") ?? "open";
  const creator = url.searchParams.get("creator");
  const since = url.searchParams.get("since");
  const threads = [...world.threads.values()]
    .filter((thread) => state === "all" || thread.state === state)
    .filter((thread) => creator === null || thread.author?.login === creator)
    .filter((thread) => since === null || Date.parse(thread.updatedAt) >= Date.parse(since))
    .sort((a, b) => b.number - a.number);
  return listAnswer(
    url,
    threads.map((thread) => issueShape(world, thread)),
  );
}

function updateThread(world: World, thread: Thread, call: Call): Answer {
  const { caller } = call;
  if (!caller || (caller !== thread.author && !mayPush(caller))) return notFound();
  thread.title = textOf(call, "title") ?? thread.title;
  thread.body = textOf(call, "body") ?? thread.body;
  const state = textOf(call, "state");
  if (state === "open" || state === "closed") setState(world, thread, state, caller);
  thread.updatedAt = world.now();
  return answer(200, issueShape(world, thread));
}

function timeline(world: World, thread: Thread): readonly unknown[] {
  const comments = commentsOf(world, thread.number)
    .filter((comment) => comment.author !== null)
    .map((comment) => ({
      ...commentShape(world, comment),
      event: "commented",
      actor: comment.author?.rest,
      author_association: association(world, comment.author),
    }));
  const events = world.events
    .filter((event) => event.thread === thread.number)
    .map((event) => ({
      id: event.id,
      node_id: nodeId("EV", event.id),
      url: apiUrl(world, `/issues/events/${event.id}`),
      actor: event.actor.rest,
      event: event.event,
      commit_id: null,
      commit_url: null,
      created_at: event.createdAt,
      performed_via_github_app: viaApp(world, event.actor),
      ...(event.event === "locked" && { lock_reason: null }),
    }));
  return [...comments, ...events].sort((a, b) => a.id - b.id);
}

function sameSubject(a: Reaction["subject"], b: Reaction["subject"]): boolean {
  return a.kind === b.kind && a.id === b.id;
}

function react(world: World, subject: Reaction["subject"], call: Call): Answer {
  const { caller: author } = call;
  if (!author) return refuse(401, "Requires authentication");
  const content = textOf(call, "content") as ReactionContent;
  const known = world.reactions.find(
    (reaction) =>
      sameSubject(reaction.subject, subject) && reaction.content === content && reaction.author === author,
  );
  // Reacting twice in the same way is no error and no second reaction.
  if (known) return answer(200, reactionShape(known));
  const reaction: Reaction = { id: world.nextId(), subject, content, author, createdAt: world.now() };
  world.reactions.push(reaction);
  return answer(201, reactionShape(reaction));
}

function listReactions(world: World, subject: Reaction["subject"], url: URL): Answer {
  const content = url.searchParams.get("content");
  const reactions = world.reactions.filter(
    (reaction) =>
      sameSubject(reaction.subject, subject) && (content === null || reaction.content === content),
  );
  return listAnswer(url, reactions.map(reactionShape));
}
