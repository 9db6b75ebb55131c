import type { Brand } from "../base/brand.ts";
import { parseSha, type Sha } from "../base/hash.ts";
import type { Command } from "./command.ts";
import type { Permissions, Role } from "./permissions.ts";
import type { Account, AskedThread, Trigger } from "./trigger.ts";

/** A command whose giver was proved to be allowed to give it, about a thread as it stands. Made here only. */
export type Authorised = Brand<
  {
    readonly trigger: Trigger;
    readonly command: Exclude<Command, { kind: "later" | "unclear" }>;
    /** For a schedule, who last changed it. */
    readonly by: { readonly login: string; readonly id: number };
    /**
     * Null for a standing task. Title and body of a comment's thread are the event's own; `head` and `base` of a pull
     * request are as GitHub has them now.
     */
    readonly thread: AskedThread | null;
    /** The head that was authorised, where the command works on a pull request. */
    readonly headSha: Sha | null;
    /** Sentences for the summary about what will not work, such as comments on a locked thread. */
    readonly notices: readonly string[];
  },
  "Authorised"
>;

export type RefusedCode =
  | "deleted-author"
  | "not-the-author"
  | "bot"
  | "not-allowed"
  | "permission-unknown"
  | "not-in-this-version"
  | "unclear"
  | "no-thread"
  | "closed"
  | "fork-head"
  | "head-mismatch"
  | "no-head";

export type Refused = {
  readonly kind: "refused";
  readonly code: RefusedCode;
  /** A whole sentence: what, where, what to do. Ready commands in it stand in the middle of a line. */
  readonly why: string;
  /** 0 where a stranger must not be able to make a red run. */
  readonly exit: 0 | 1;
  /** Whether to stay silent on the thread: an answer to a bot invites an answer. */
  readonly quiet: boolean;
};

type AuthoriseOptions = {
  /** Numeric ids of the bots that a maintainer listed. */
  readonly allowedBots: readonly number[];
  /** Used in the commands that a refusal spells out. */
  readonly triggerPhrase: string;
  /** Asked only after the permission is proved: the thread as it is now, null when there is none. */
  readonly thread: (number: number) => Promise<AskedThread | null>;
  readonly signal: AbortSignal;
};

/** R1: the permission first, by the collaborator endpoint; then what the command is about. Rejects only when aborted. */
export async function authorise(
  trigger: Trigger,
  command: Command,
  permissions: Permissions,
  options: AuthoriseOptions,
): Promise<{ readonly kind: "authorised"; readonly command: Authorised } | Refused> {
  const actor = await allowedActor(trigger, permissions, options);
  if (actor.kind === "refused") return actor;
  if (command.kind === "later") {
    return refuse("not-in-this-version", `\`${command.name}\` is not in this version; try \`help\``);
  }
  if (command.kind === "unclear") return refuse("unclear", unclear[command.name]);
  const found = await threadOf(trigger, command, options);
  if (found.kind === "refused") return found;
  const { thread } = found;
  // Words may be for a session that is there already, whatever became of the thread.
  const refusal = thread !== null && command.kind === "fix" ? unfit(thread, command, trigger, options) : null;
  if (refusal !== null) return refusal;
  const authorised = {
    trigger,
    command,
    by: actor.by,
    thread,
    headSha: thread?.head == null ? null : parseSha(thread.head.sha),
    notices: thread?.locked === true ? [lockedNotice(thread)] : [],
  };
  return { kind: "authorised", command: authorised as unknown as Authorised };
}

const unclear = {
  approve:
    "`approve` takes nothing but the id of one call; to say more, use `deny` or write a command with your words",
  stop: "`stop` takes no words; to say something to the session, write a command with your words",
} as const;

/** The work that the command may begin; words for a session begin one where there is none. */
function fixIn(command: Command): Extract<Command, { kind: "fix" }> | null {
  if (command.kind === "fix") return command;
  return command.kind === "go-on" ? { kind: "fix", text: command.text, sha: null } : null;
}

/** Why the words of a command cannot become the task of a new session here, or null. */
export function whyUnfit(
  { thread, command, trigger }: Authorised,
  options: Pick<AuthoriseOptions, "triggerPhrase">,
): Refused | null {
  const fix = fixIn(command);
  return thread !== null && fix !== null ? unfit(thread, fix, trigger, options) : null;
}

type Actor = { readonly kind: "actor"; readonly by: { readonly login: string; readonly id: number } };

async function allowedActor(
  trigger: Trigger,
  permissions: Permissions,
  options: AuthoriseOptions,
): Promise<Actor | Refused> {
  switch (trigger.kind) {
    case "schedule":
      // Nobody asks: the workflow file on the default branch does, and only writers can change that.
      return { kind: "actor", by: trigger.actor };
    case "dispatch":
      return allowedAccount(trigger.sender, permissions, options);
    case "comment": {
      const { author, id } = trigger.comment;
      if (author === null) {
        const why = `the author of comment ${id} no longer exists; somebody with write access has to give the command`;
        return refuse("deleted-author", why, stranger);
      }
      if (author.id !== trigger.sender.id) {
        return refuse("not-the-author", `comment ${id} was not sent by the account that wrote it`, stranger);
      }
      return allowedAccount(trigger.sender, permissions, options);
    }
  }
}

const stranger = { exit: 0, quiet: true } as const;

/** Whether an account may give commands now. Rejects only when aborted. */
export async function allowedAccount(
  account: Account,
  permissions: Permissions,
  options: Pick<AuthoriseOptions, "allowedBots" | "signal">,
): Promise<Actor | Refused> {
  const { login, id, type } = account;
  const actor: Actor = { kind: "actor", by: { login, id } };
  if (type !== "User") {
    // What an account is called decides nothing, and GitHub gives apps no role: the list is the permission.
    if (type === "Bot" && options.allowedBots.includes(id)) return actor;
    return refuse(
      "bot",
      `account ${id} is a ${plainWord(type)}, not a person; list its id in \`allowed-bots\``,
      stranger,
    );
  }
  const looked = await permissions.of(login, { signal: options.signal });
  if (looked.kind === "unknown") {
    return refuse(
      "permission-unknown",
      `could not look up the permission of ${plainWord(login)}: ${looked.why}`,
    );
  }
  if (mayCommand(looked.role)) return actor;
  return refuse(
    "not-allowed",
    `the role of ${plainWord(login)} here is ${looked.role}; commands need write access`,
    { exit: 0, quiet: false },
  );
}

function mayCommand(role: Role): boolean {
  switch (role) {
    case "write":
    case "maintain":
    case "admin":
      return true;
    case "none":
    case "read":
    case "triage":
      return false;
  }
}

async function threadOf(
  trigger: Trigger,
  command: Command,
  options: AuthoriseOptions,
): Promise<{ readonly kind: "thread"; readonly thread: AskedThread | null } | Refused> {
  if (trigger.kind === "comment") {
    const asked = trigger.thread;
    if (asked.kind === "issue" || fixIn(command) === null) return { kind: "thread", thread: asked };
    const now = await options.thread(asked.number);
    if (now?.kind !== "pull-request") return noThread(asked.number);
    // The words are the event's (R3); the head is not in the event.
    const state = now.state === "closed" ? "closed" : asked.state;
    return { kind: "thread", thread: { ...asked, state, head: now.head, base: now.base } };
  }
  const target = targetOf(trigger);
  if (target === null) return { kind: "thread", thread: null };
  const now = await options.thread(target);
  return now === null ? noThread(target) : { kind: "thread", thread: now };
}

function targetOf(trigger: Exclude<Trigger, { kind: "comment" }>): number | null {
  if (trigger.kind === "schedule") return trigger.target;
  return trigger.asks.kind === "task" ? trigger.asks.target : null;
}

function noThread(number: number): Refused {
  return refuse(
    "no-thread",
    `there is no issue or pull request #${number} here; it may have been deleted or moved`,
  );
}

/** Why a fix cannot begin on this thread, or null. */
function unfit(
  thread: AskedThread,
  command: Extract<Command, { kind: "fix" }>,
  trigger: Trigger,
  options: Pick<AuthoriseOptions, "triggerPhrase">,
): Refused | null {
  const name = `${thread.kind === "issue" ? "issue" : "pull request"} #${thread.number}`;
  if (thread.state === "closed") {
    return refuse("closed", `${name} is closed; reopen it, then give the command again`);
  }
  if (thread.kind === "issue") {
    if (command.sha === null) return null;
    return refuse("head-mismatch", `${name} has no head to pin; a full commit id pins a pull request`);
  }
  const head = thread.head;
  if (head === null || parseSha(head.sha) === null) {
    return refuse("no-head", `GitHub named no head commit for ${name}; give the command again`);
  }
  if (command.sha !== null && command.sha !== head.sha) {
    return refuse(
      "head-mismatch",
      `the command pins ${command.sha}, and the head of ${name} is ${head.sha} now: read it, then comment \`${options.triggerPhrase} fix ${head.sha}\``,
    );
  }
  if (command.sha !== null || head.repositoryId === trigger.repositoryId) return null;
  return refuse(
    "fork-head",
    `the head of ${name} is in another repository, so it has to be named: read it, then comment \`${options.triggerPhrase} fix ${head.sha}\``,
  );
}

function lockedNotice(thread: AskedThread): string {
  return `#${thread.number} is locked: the result stands in the job summary, because commenting may not be possible.`;
}

function refuse(
  code: RefusedCode,
  why: string,
  manner: { readonly exit: 0 | 1; readonly quiet: boolean } = { exit: 1, quiet: false },
): Refused {
  return { kind: "refused", code, why, ...manner };
}

/** A login or type as GitHub spells them; anything else is not repeated. */
function plainWord(text: string): string {
  return /^[A-Za-z0-9-]{1,39}(\[bot\])?$/.test(text) ? text : "(unprintable)";
}
