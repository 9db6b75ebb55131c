import type { Clock } from "../base/clock.ts";
import type { Budget } from "../session/event.ts";
import type { Policy } from "./approval.ts";
import type { Image } from "./context.ts";
import type { OnLive } from "./live.ts";
import type { Model, ToolDefinition } from "./model.ts";
import type { Prices } from "./prices.ts";
import type { Seal } from "./seal.ts";
import type { Story } from "./story.ts";
import type { Toolbox } from "./toolbox.ts";

export type NewInput = {
  readonly id: string;
  readonly by: string;
  readonly text: string;
  /** Shown behind the text, in this order. */
  readonly images?: readonly Image[];
};

/** What every request is made of, besides the messages. */
export type RequestFrame = {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** Output limit in tokens, and the one used once a reply was cut by it. */
  readonly maxTokens: number;
  readonly maxTokensRaised: number;
  /** Tokens that the model takes with its reply, where that is not what most take (window.ts). */
  readonly window?: number;
};

export type LoopParts = {
  /** Open and claimed; interrupted calls that may have changed files are settled already. */
  readonly journal: Story;
  readonly model: Model;
  readonly toolbox: Toolbox;
  /** Called after each call that is not a read, once nothing of the call can write any more. */
  readonly seal: () => Promise<Seal>;
  readonly prices: Prices;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly request: RequestFrame;
  readonly budget: Budget;
  /** Awaited once, before the first call of this run is executed: the claim has left the machine, or cannot. */
  readonly shipped: () => Promise<void>;
  /** Awaited before each external call: everything appended so far has left the machine, its intent too, or cannot. */
  readonly intentShipped: () => Promise<void>;
  /** Called after each `turn.ended`, but not when the run is being cancelled. */
  readonly turnEnded: () => Promise<void>;
  /** Whether a call may run without a person's word. */
  readonly policy: Policy;
  /** Told that a request is about to be sent: a good time to look for what people said meanwhile. */
  readonly listen: () => void;
  /**
   * What people said meanwhile and is to be taken in here; each id is taken in once. At the end of a `turn` what steers
   * the work, as far as it is known by now; at the `end` of the work everything that was said until now.
   */
  readonly heard: (at: "turn" | "end") => Promise<readonly NewInput[]>;
  /** Called when the model has asked for a call with a secret of the run in it. */
  readonly masked: () => void;
  /** Called when so many images were taken out of the conversation because the provider could not read them. */
  readonly leftOut: (images: number) => void;
  /** The files that the session has changed so far, one line each, as the last sealed tree has them. */
  readonly changed: () => Promise<readonly string[]>;
};

/** A run of the loop: its parts, and what only matters while it lives. */
export type Run = LoopParts & {
  readonly signal: AbortSignal;
  readonly onLive: OnLive;
  /** Monotonic ms at which this run took up the open turn; null between turns. */
  turnStartedAt: number | null;
  shippedOnce: boolean;
};
