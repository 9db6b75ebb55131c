import type { Digest, Sha, Tree } from "../base/hash.ts";
import type { EffectEvent } from "./effect-event.ts";
import type { SessionId } from "./id.ts";

/** Text of any size: what is over 8 KiB stands in a blob named by its SHA-256. */
export type Payload =
  | { readonly type: "inline"; readonly text: string }
  | { readonly type: "blob"; readonly sha256: Digest; readonly bytes: number };

/** One content block of the Messages API, kept as it came; only `text` and `tool_use` are ever looked into. */
export type Block = { readonly type: string; readonly [key: string]: unknown };

/** Token counts of one reply, as the provider reports them. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** session.md, section 4. Assigned by policy when the call is intended, never by the model. */
export type EffectClass = "read" | "workspace" | "repeatable" | "external";

export type RunRef = { readonly id: string; readonly attempt: number; readonly job: string };
export type Head = { readonly seq: number; readonly hash: string };

/** Reaching one suspends the session. `minutes` is active time, summed over runs; null means no such limit. */
export type Budget = {
  readonly turns: number;
  readonly minutes: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

/** `fork`: a pull request whose head is in another repository, where nothing can be written. */
export type Thread = { readonly kind: "issue" | "pull-request" | "fork"; readonly number: number };

/** What a session is about and made of; constant from `session.opened` to the end. */
export type Identity = {
  readonly session: SessionId;
  readonly repository: { readonly id: number; readonly owner: string; readonly name: string };
  /** Null for a standing task that no issue asked for. */
  readonly thread: Thread | null;
  /** Who asked for it; null for a schedule, whose account is only the last that changed its workflow. */
  readonly actor: { readonly login: string; readonly id: number } | null;
  /** Where the work begins. */
  readonly baseSha: Sha;
  /** Where all configuration comes from. */
  readonly configSha: Sha;
  /** The branch the pull request is opened against, or, on one of this repository, the branch its commits go to. */
  readonly baseRef: string;
  readonly provider: string;
  readonly model: string;
  /** Version of the record format and of the way requests are built from it. */
  readonly protocol: number;
  /** Digest of the tool definitions that the model was given. */
  readonly tools: Digest;
};

export type IntendedCall = {
  readonly id: string;
  readonly tool: string;
  /** JSON text of the arguments, validated. */
  readonly arguments: Payload;
  readonly class: EffectClass;
};

/** How a call was settled: it ran; it ran and failed; it was never run; it was killed; its changes were rolled back. */
export type Settlement = "ok" | "error" | "not-run" | "killed" | "rolled-back";

/** Why a turn was followed by another, or `done`. loop.md. */
export type GoOn =
  | "calls"
  | "truncated"
  | "input"
  | "gate"
  | "resumed"
  | "paused"
  | "compacted"
  | "nudge"
  /** It put a question to people, and another follows once they have answered. */
  | "asked"
  | "done";

/** A picture that a person gave with their words. `data` is base64; `mediaType` was found in its bytes. */
export type InputImage = { readonly mediaType: string; readonly data: Payload };

export type PlanItem = { readonly text: string; readonly status: "open" | "doing" | "done" };

export type CommandRun = {
  readonly command: string;
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly ms: number;
  readonly output: Payload;
};

/** What a check judged: the base, the change, or for the proof of the fix the base with the change's tests alone. */
export type CheckedOn = "base" | "change" | "proof";

export type NoteAbout = "nudge" | "budget" | "resumed" | "gate" | "truncated" | "stuck";

/** A durable fact. Past tense, told apart by `type`; unknown types refuse the log (`unknown-event`). */
export type SessionEvent =
  | {
      readonly type: "session.opened";
      readonly identity: Identity;
      readonly budget: Budget;
      /** The system prompt, whole: a resumed request sends these bytes again. */
      readonly system: Payload;
    }
  | {
      readonly type: "run.claimed";
      readonly gen: number;
      readonly run: RunRef;
      readonly head: Head | null;
      /**
       * Where a person named another model than the one before: it goes on from here, and what that one signed is told
       * no more. The identity keeps the model that began.
       */
      readonly model?: string;
      /**
       * Wall time in ms from which this run listens to people: what they wrote before is not for it. A run after one
       * that died listens from where that one did.
       */
      readonly since?: number;
    }
  | { readonly type: "sandbox.started"; readonly sandbox: string; readonly pid: number | null }
  /**
   * `approval`: it runs on what the change installs, as that approval allows, and not on the base. No tree is sealed from
   * it then, because nothing of it is kept.
   */
  | { readonly type: "setup.started"; readonly commands: readonly string[]; readonly approval?: string }
  | {
      readonly type: "setup.settled";
      readonly ok: boolean;
      readonly commands: readonly CommandRun[];
      /** Sealed right after setup: only the difference to this tree is ever delivered. */
      readonly tree: Tree | null;
      readonly ms: number;
      readonly approval?: string;
    }
  /** `id` is unique in the session, such as `comment:99262140`; `text` is what the model is told, whole. */
  | {
      readonly type: "input.accepted";
      readonly id: string;
      readonly by: string;
      readonly text: Payload;
      readonly images?: readonly InputImage[];
    }
  | { readonly type: "note.added"; readonly about: NoteAbout; readonly text: Payload }
  | {
      readonly type: "reply.requested";
      readonly turn: number;
      readonly attempt: number;
      readonly maxTokens: number;
      /** Why the session goes on with this turn. */
      readonly because?: GoOn;
    }
  | {
      readonly type: "reply.failed";
      readonly turn: number;
      readonly attempt: number;
      readonly reason: string;
      /** Where it asked for a longer reply than the model can give: the most that it can, tokens. */
      readonly outputMax?: number;
      /** What the provider worked before it failed, where it began; it is paid for like a reply. */
      readonly usage?: Usage;
      /** With `usage`: US dollars, null where the price is not known. */
      readonly costUsd?: number | null;
    }
  | {
      readonly type: "reply.received";
      readonly turn: number;
      /** JSON text of the content blocks, byte for byte what is sent back. */
      readonly content: Payload;
      readonly stopReason: string;
      readonly usage: Usage;
      /** Null where the model has no known price. */
      readonly costUsd: number | null;
      readonly requestId: string | null;
      /** Ids of the calls whose arguments held a secret of the run. `***` stands in its place, and they never run. */
      readonly masked?: readonly string[];
    }
  | { readonly type: "calls.intended"; readonly turn: number; readonly calls: readonly IntendedCall[] }
  /**
   * A person has to allow this very call; `id` is the call's. It is asked for before the call is intended. With `setup` as
   * the tool it is to run setup on what the change installs, and the id names commands and files.
   */
  | {
      readonly type: "approval.requested";
      readonly id: string;
      readonly tool: string;
      readonly arguments: Payload;
      readonly why: string;
    }
  /** `input` is the comment that says no more than that; it is taken in by this. */
  | { readonly type: "approval.granted"; readonly id: string; readonly by: string; readonly input?: string }
  | { readonly type: "approval.denied"; readonly id: string; readonly by: string; readonly input?: string }
  /** The run that asked for it died: the model has to ask again. */
  | { readonly type: "approval.abandoned"; readonly id: string }
  | {
      readonly type: "call.settled";
      readonly id: string;
      readonly status: Settlement;
      /** What the model is told. */
      readonly output: Payload;
      /** The whole output where `output` shows only its head and tail; readable as `output:<id>`. */
      readonly whole: Payload | null;
      /** The tree sealed right after a call that may have changed the workspace. */
      readonly tree: Tree | null;
      readonly plan: readonly PlanItem[] | null;
    }
  | {
      readonly type: "turn.ended";
      readonly turn: number;
      readonly next: GoOn;
      /** Active time of the turn, ms. */
      readonly ms: number;
      /** Where a fold can begin (checkpoint.ts); null in a record of an older format, whose checkpoints are not used. */
      readonly checkpoint: Payload | null;
    }
  | {
      readonly type: "context.compacted";
      /** What the model is told in place of everything before `from`. */
      readonly summary: Payload;
      /**
       * The byte of the log where what it is still told word for word begins: the record that begins a turn, or, where
       * none is kept, the one that ended the last.
       */
      readonly from: number;
      /** What the summary cost, and whether the window was nearly full or the provider found it full. */
      readonly usage: Usage;
      readonly costUsd: number | null;
      readonly why: "near-full" | "overflow";
    }
  /** The provider could not read images, without `all` those since its last reply: words stand in their place. */
  | { readonly type: "images.left-out"; readonly count: number; readonly all: boolean }
  /** The provider did not take thinking back that it had given: what was thought by here is told no more. */
  | { readonly type: "thinking.left-out" }
  | {
      readonly type: "check.started";
      readonly round: number;
      readonly check: string;
      readonly on: CheckedOn;
      readonly tree: Tree;
      /** It runs on base while the model works, as no part of a round. */
      readonly beside?: true;
    }
  | {
      readonly type: "check.settled";
      readonly round: number;
      readonly check: string;
      readonly on: CheckedOn;
      readonly tree: Tree;
      /** Digest of what the check is: what another definition of it found is not known of this one. */
      readonly definition?: Digest;
      readonly exitCode: number | null;
      readonly timedOut: boolean;
      readonly ms: number;
      readonly output: Payload;
      /** Its time is that of the turns beside it. */
      readonly beside?: true;
    }
  | {
      readonly type: "gate.passed";
      readonly round: number;
      readonly tree: Tree;
      readonly definitions: Digest;
    }
  | {
      readonly type: "gate.failed";
      readonly round: number;
      readonly tree: Tree;
      readonly findings: Payload;
      /** What of the change never leaves by our hand, for a person to apply. */
      readonly patch?: Payload;
    }
  | EffectEvent
  | { readonly type: "log.repaired"; readonly cutBytes: number; readonly sha256: Digest }
  | {
      readonly type: "run.suspended";
      readonly reason: string;
      readonly detail: string;
      /** The input that asked for it, such as the comment that says stop; it is taken in by this. */
      readonly input?: string;
    }
  | { readonly type: "session.ended"; readonly outcome: string; readonly reason: string };

/** One line of the log, parsed. `at` is wall time in ms and only labels; order is `seq`. */
export type EventRecord = {
  readonly seq: number;
  readonly gen: number;
  readonly at: number;
  readonly prev: string;
  readonly event: SessionEvent;
  readonly hash: string;
};
