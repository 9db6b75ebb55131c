// One life after another of the same session.
import { handle } from "../../../src/app/handle.ts";
import type { Outcome } from "../../../src/app/outcome.ts";
import { type Command, parseCommand } from "../../../src/command/command.ts";
import type { Trigger } from "../../../src/command/trigger.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import {
  comment,
  endJob,
  type Process,
  type ProcessOptions,
  repositoryId,
  type Stage,
  startProcess,
  thread,
} from "./stage.ts";

export type Played = Process & { readonly end: Outcome | "died" };

export type LifeOptions = ProcessOptions & {
  /** A command that begins the session, or one that goes on with it. */
  readonly asks?: "fix" | "resume";
  /** A comment in place of those, by its text. */
  readonly says?: string;
  /** The id of that comment; unless given, later than all before. */
  readonly comment?: number;
  /** The thread, as the comment's event has it. */
  readonly thread?: "open" | "closed";
  readonly machine?: "lost" | "survives" | "terminal";
  readonly by?: string;
};

/** Runs a process until it ends or dies, and ends its job. */
export async function live(stage: Stage, options: LifeOptions = {}): Promise<Played> {
  const process = startProcess(stage, options);
  const asks = options.asks ?? "fix";
  const command = commandIn(options.says) ?? commands(stage)[asks];
  const first = asks === "fix" && options.says === undefined;
  const id = options.comment ?? (first ? comment : 600 + Number(process.id));
  const trigger = triggerOf(id, options.by ?? "octo", options.thread ?? "open", stage);
  const { signal } = new AbortController();
  const ended = handle({ trigger, command }, process.means, { signal, opened: process.isOpen });
  const end = await Promise.race([ended, process.life.died.then(() => "died" as const)]);
  await endJob(stage, process, end === "died" ? (options.machine ?? "survives") : "lost");
  return { ...process, end };
}

/** On a pull request `fix` names the head, as it has to for one of a fork. */
function commands({ session, github }: Stage): Readonly<Record<"fix" | "resume", Command>> {
  return {
    fix: { kind: "fix", text: "", sha: github.threads.get(thread)?.head?.sha ?? null },
    resume: { kind: "resume", session, run: null },
  };
}

function commandIn(body: string | undefined): Command | null {
  return body === undefined ? null : parseCommand(body, "@baton");
}

export function endOf({ end }: Pick<Played, "end">): string {
  return end === "died" ? end : `${end.kind}/${end.reason}`;
}

function triggerOf(id: number, login: string, state: "open" | "closed", { github }: Stage): Trigger {
  const by = { login, id: 1, type: "User" };
  const at = "2026-01-01T00:00:00Z";
  const issue = {
    number: thread,
    kind: github.threads.get(thread)?.kind ?? "issue",
    title: "Broken",
    body: "Both are wrong.",
    author: "octo",
  } as const;
  return {
    kind: "comment",
    repositoryId,
    session: sessionIdOf(`repo:${repositoryId}/comment:${id}`),
    sender: by,
    comment: { id, body: "@baton fix", author: by, createdAt: at, updatedAt: at },
    thread: { ...issue, state, locked: false, head: null, base: null },
  };
}
