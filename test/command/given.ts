import type { AskInputs } from "../../src/command/asks.ts";
import { authorise } from "../../src/command/authorise.ts";
import { commandOf } from "../../src/command/command.ts";
import type { Permissions } from "../../src/command/permissions.ts";
import { type AskedThread, type RunFacts, readTrigger, type Trigger } from "../../src/command/trigger.ts";

export const facts: RunFacts = { repositoryId: 1, runId: "555", actor: { login: "cron-owner", id: 3 } };
export const noInputs: AskInputs = { session: "", answer: "", task: "", target: "" };
export const ann = { login: "ann", id: 7, type: "User" };

type Parts = {
  readonly comment?: Record<string, unknown>;
  readonly issue?: Record<string, unknown>;
  readonly sender?: Record<string, unknown> | null;
  readonly repository?: Record<string, unknown>;
};

/** The part of an `issue_comment` payload that is read, and one key that is not. */
export function commentPayload(parts: Parts = {}): Record<string, unknown> {
  return {
    action: "created",
    repository: { id: 1, ...parts.repository },
    sender: parts.sender === undefined ? ann : parts.sender,
    issue: {
      number: 12,
      title: "It crashes",
      body: "On start.",
      user: { login: "zoe", id: 8, type: "User" },
      state: "open",
      locked: false,
      ...parts.issue,
    },
    comment: {
      id: 99,
      body: "/agent fix",
      user: ann,
      author_association: "OWNER",
      created_at: "2026-01-02T03:04:05Z",
      updated_at: "2026-01-02T03:04:05Z",
      ...parts.comment,
    },
  };
}

export function triggerOf(event: string, payload: unknown, inputs: Partial<AskInputs> = {}): Trigger {
  const read = readTrigger(event, payload, facts, { ...noInputs, ...inputs });
  if (read.kind !== "read") throw new Error(`the test's event was ${read.kind}: ${read.why}`);
  return read.trigger;
}

type Options = {
  readonly permissions?: Permissions;
  readonly allowedBots?: readonly number[];
  readonly thread?: AskedThread | null;
};

export const writer: Permissions = { of: async () => ({ kind: "role", role: "write" }) };

export async function authoriseTrigger(trigger: Trigger, options: Options = {}) {
  const command = commandOf(trigger, "/agent");
  if (command === null) throw new Error("the test's comment holds no command");
  return authorise(trigger, command, options.permissions ?? writer, {
    allowedBots: options.allowedBots ?? [],
    triggerPhrase: "/agent",
    thread: async () => options.thread ?? null,
    signal: new AbortController().signal,
  });
}
