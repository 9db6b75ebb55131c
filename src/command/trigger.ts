import * as v from "valibot";
import { printable } from "../base/printable.ts";
import { type SessionId, sessionIdOf, sessionOfComment } from "../session/id.ts";
import { type AskInputs, type DispatchAsks, dispatchAsks, taskAsks } from "./asks.ts";
import {
  commentPayload,
  dispatchPayload,
  runPayload,
  schedulePayload,
  type ThreadShape,
} from "./payload-shapes.ts";

/** An account as GitHub names it. Only `id` and `type` are ever trusted; a login can be renamed and reused. */
export type Account = { readonly login: string; readonly id: number; readonly type: string };

/** An issue or pull request. Every string is untrusted text. Structurally what the host gives for a thread. */
export type AskedThread = {
  readonly number: number;
  readonly kind: "issue" | "pull-request";
  readonly title: string;
  readonly body: string;
  /** Null for a deleted account. */
  readonly author: string | null;
  readonly state: "open" | "closed";
  readonly locked: boolean;
  /** Null on an issue, and where it is not known yet. */
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    readonly repositoryId: number | null;
  } | null;
  readonly base: { readonly ref: string } | null;
};

export type AskedComment = {
  readonly id: number;
  readonly body: string;
  /** Null for a deleted account. */
  readonly author: Account | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** What GitHub told us, shape-checked and not trusted. The strings are the event's own snapshot (R3). */
export type Trigger =
  | {
      readonly kind: "comment";
      readonly repositoryId: number;
      readonly session: SessionId;
      readonly sender: Account;
      readonly comment: AskedComment;
      readonly thread: AskedThread;
    }
  | {
      readonly kind: "dispatch";
      readonly repositoryId: number;
      /** What a new session of this run would be called. */
      readonly session: SessionId;
      readonly sender: Account;
      readonly asks: DispatchAsks;
    }
  | {
      readonly kind: "schedule";
      readonly repositoryId: number;
      readonly session: SessionId;
      /** Names who last changed the schedule; a label, not a permission. */
      readonly actor: { readonly login: string; readonly id: number };
      readonly task: string;
      readonly target: number | null;
    };

export type NotRead =
  /** Not for us: no comment, no model request. */
  | { readonly kind: "ignored"; readonly why: string }
  | {
      readonly kind: "refused";
      readonly code: "malformed" | "privileged-event" | "other-repository" | "edited" | "nothing-asked";
      readonly why: string;
    };

/** What the job's environment says about this run, as opposed to the payload. */
export type RunFacts = {
  readonly repositoryId: number;
  readonly runId: string;
  readonly actor: { readonly login: string; readonly id: number };
};

type Read = { readonly kind: "read"; readonly trigger: Trigger } | NotRead;

/** Turns an event into a trigger. Never throws for what the payload holds. */
export function readTrigger(eventName: string, payload: unknown, facts: RunFacts, inputs: AskInputs): Read {
  switch (eventName) {
    case "issue_comment":
      return readComment(payload, facts);
    case "workflow_dispatch":
      return readDispatch(payload, facts, inputs);
    case "schedule":
      return readSchedule(payload, facts, inputs);
    case "pull_request_target":
      return refuse(
        "privileged-event",
        `the event pull_request_target gives the code of a stranger's pull request this repository's secrets; start from issue_comment instead (${pwnRequests})`,
      );
    case "workflow_run":
      return readWorkflowRun(payload);
    default:
      return {
        kind: "ignored",
        why: `the event ${printable(eventName)} starts nothing; use issue_comment, workflow_dispatch or schedule`,
      };
  }
}

const pwnRequests = "https://securitylab.github.com/resources/github-actions-preventing-pwn-requests/";

function readComment(payload: unknown, facts: RunFacts): Read {
  const action = v.safeParse(v.object({ action: v.string() }), payload);
  if (!action.success) return malformed("issue_comment", action.issues);
  if (action.output.action !== "created") {
    return {
      kind: "ignored",
      why: `only new comments count; this one was ${printable(action.output.action)}`,
    };
  }
  const read = v.safeParse(commentPayload, payload);
  if (!read.success) return malformed("issue_comment", read.issues);
  const { repository, sender, comment, issue } = read.output;
  if (repository.id !== facts.repositoryId) return otherRepository(repository.id, facts);
  if (comment.updated_at !== comment.created_at) {
    return refuse(
      "edited",
      `comment ${comment.id} was edited at ${comment.updated_at}, after it gave the command`,
    );
  }
  return {
    kind: "read",
    trigger: {
      kind: "comment",
      repositoryId: repository.id,
      session: sessionOfComment(repository.id, comment.id),
      sender,
      comment: {
        id: comment.id,
        body: comment.body,
        author: comment.user,
        createdAt: comment.created_at,
        updatedAt: comment.updated_at,
      },
      thread: threadOf(issue),
    },
  };
}

function threadOf(issue: ThreadShape): AskedThread {
  return {
    number: issue.number,
    kind: issue.pull_request == null ? "issue" : "pull-request",
    title: issue.title,
    body: issue.body ?? "",
    author: issue.user?.login ?? null,
    state: issue.state,
    locked: issue.locked ?? false,
    head: null,
    base: null,
  };
}

function readDispatch(payload: unknown, facts: RunFacts, inputs: AskInputs): Read {
  const read = v.safeParse(dispatchPayload, payload);
  if (!read.success) return malformed("workflow_dispatch", read.issues);
  const { repository, sender } = read.output;
  if (repository.id !== facts.repositoryId) return otherRepository(repository.id, facts);
  const asks = dispatchAsks(inputs);
  if (asks.kind === "refused") return asks;
  return {
    kind: "read",
    trigger: { kind: "dispatch", repositoryId: repository.id, session: sessionOfRun(facts), sender, asks },
  };
}

function readSchedule(payload: unknown, facts: RunFacts, inputs: AskInputs): Read {
  const read = v.safeParse(schedulePayload, payload);
  if (!read.success) return malformed("schedule", read.issues);
  const repositoryId = read.output.repository?.id ?? facts.repositoryId;
  if (repositoryId !== facts.repositoryId) return otherRepository(repositoryId, facts);
  const asks = taskAsks("schedule", inputs);
  if (asks.kind === "refused") return asks;
  const { task, target } = asks;
  const session = sessionOfRun(facts);
  return {
    kind: "read",
    trigger: { kind: "schedule", repositoryId, session, actor: facts.actor, task, target },
  };
}

/** R16: a run of a fork's workflow hands over files that a stranger made. */
function readWorkflowRun(payload: unknown): NotRead {
  const read = v.safeParse(runPayload, payload);
  if (!read.success) return malformed("workflow_run", read.issues);
  const { repository, workflow_run: run } = read.output;
  if (run.head_repository?.id === repository.id) {
    return { kind: "ignored", why: "the event workflow_run starts nothing; use issue_comment or schedule" };
  }
  return refuse(
    "privileged-event",
    `the event workflow_run came from the fork ${printable(run.head_repository?.full_name ?? "(deleted)")}; start from issue_comment instead (${pwnRequests})`,
  );
}

function sessionOfRun(facts: RunFacts): SessionId {
  return sessionIdOf(`repo:${facts.repositoryId}/run:${facts.runId}`);
}

function otherRepository(id: number, facts: RunFacts): NotRead {
  return refuse(
    "other-repository",
    `the event is about repository ${id}, and this run belongs to ${facts.repositoryId}`,
  );
}

function malformed(eventName: string, issues: readonly v.BaseIssue<unknown>[]): NotRead {
  const first = issues[0];
  const where = first === undefined ? "" : (v.getDotPath(first) ?? "");
  // The received value is left out: it can be any size and is not ours to repeat.
  const what = first === undefined ? "it has no shape" : whatOf(first);
  return refuse(
    "malformed",
    `the event ${eventName} is malformed${where === "" ? "" : ` at \`${where}\``}: ${what}. Nothing was done; GitHub sends no such event, so look at what else calls this workflow`,
  );
}

function whatOf({ received, expected }: v.BaseIssue<unknown>): string {
  return received === "undefined" ? "it is missing" : `expected ${expected ?? "another value"}`;
}

function refuse(
  code: Extract<NotRead, { kind: "refused" }>["code"],
  why: string,
): Extract<NotRead, { kind: "refused" }> {
  return { kind: "refused", code, why };
}
