// Runs of one session in one process, kept apart at their ports: every call of a port waits here until a seeded choice
// lets it go on. Nothing depends on time, so a seed gives the same order of calls, byte for byte, whenever it is run.
import { digestOf } from "../../../src/base/hash.ts";

export type Random = () => number;

export function seeded(seed: number): Random {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What happens to a run at its n-th call of a port that other runs see as well, or when it next comes to a named one. */
export type Fate =
  /**
   * The process is gone, with its machine unless `post` says when what comes after it runs there: before its job counts
   * as over, or so many steps after. What it had under way arrives or does not, before its job counts as over.
   */
  | {
      readonly kind: "dies";
      readonly at: number | string;
      readonly goneAfter: number;
      readonly post?: "in time" | number;
      /** Whether what it had under way arrives, all or nothing; by chance where it is not said. */
      readonly lands?: boolean;
    }
  /** Stands still for so long that others get far; its job goes on. */
  | { readonly kind: "pauses"; readonly at: number | string; readonly backAfter: number }
  /** Cut off for so long that its job counts as over, then it goes on as if nothing had been. */
  | {
      readonly kind: "cut";
      readonly at: number | string;
      readonly goneAfter: number;
      readonly backAfter: number;
    }
  /**
   * Frozen between any two of its steps, also those that nobody else sees, until its job counts as over and longer; then
   * it goes on with the very request that it was about to send. A number counts all its steps.
   */
  | {
      readonly kind: "freezes";
      readonly at: number | string;
      readonly goneAfter: number;
      readonly backAfter: number;
    };

export type Actor = {
  readonly name: string;
  /** One after the other; none for a run that lives. */
  readonly fates: Fate[];
  /** The step before which none of its calls goes on. */
  readonly from: number;
  state: "works" | "paused" | "dead" | "cut" | "back";
  /** Calls of shared ports so far. */
  shared: number;
  /** Steps of any kind so far. */
  steps: number;
  onGone: () => void;
  /** Starts what runs on its machine after it. */
  onPost: () => void;
};

export type PortCall = {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Whether other runs see what it does. */
  readonly shared: boolean;
  readonly act: () => Promise<unknown>;
  /** What the caller gets when no answer comes; null where an answer always comes. */
  readonly unanswered: (() => unknown) | null;
};

type Waiting = PortCall & {
  readonly actor: Actor;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Set once the call had its effect, or will have none, and only the answer is on its way. */
  answer: (() => unknown) | null;
};

const lossOfAnswer = 0.03;
const answerLater = 0.25;
const stayWithRun = 0.6;
const stepsMax = 60_000;

export class Scheduler {
  readonly trace: string[] = [];
  step = 0;
  readonly #random: Random;
  /** Whether an answer may get lost now and then. */
  lossy: boolean;
  readonly #onStep: () => void;
  #waiting: Waiting[] = [];
  #timed: { readonly at: number; readonly run: () => Promise<void> | void }[] = [];
  #last: Actor | null = null;

  constructor(random: Random, { lossy, onStep }: { readonly lossy: boolean; readonly onStep: () => void }) {
    this.#random = random;
    this.lossy = lossy;
    this.#onStep = onStep;
  }

  /** Asks for a call's turn; resolves or rejects as the call does, or never when its run dies. */
  call(actor: Actor, call: PortCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // A dead process makes no calls; this one was on its way out when it died.
      if (actor.state !== "dead") this.#waiting.push({ ...call, actor, resolve, reject, answer: null });
    });
  }

  after(steps: number, run: () => Promise<void> | void): void {
    this.#timed.push({ at: this.step + steps, run });
  }

  /** Goes on until no run has a call left that may go on. */
  async play(): Promise<void> {
    for (;;) {
      await quiet();
      if (await this.#runDue()) continue;
      const ready = this.#waiting.filter(({ actor }) => mayGoOn(actor, this.step));
      const next = this.#pick(ready);
      if (next === null) {
        const times = [...this.#timed.map(({ at }) => at), ...this.#waiting.map(({ actor }) => actor.from)];
        const later = times.filter((at) => at > this.step);
        if (later.length === 0) return;
        this.step = Math.min(...later);
        continue;
      }
      this.step += 1;
      if (this.step > stepsMax) throw new Error(`no end after ${stepsMax} steps`);
      this.#onStep();
      await this.#goOn(next);
    }
  }

  async #runDue(): Promise<boolean> {
    const due = this.#timed.findIndex(({ at }) => at <= this.step);
    const [timed] = due < 0 ? [] : this.#timed.splice(due, 1);
    await timed?.run();
    return timed !== undefined;
  }

  /** Runs mostly go on in stretches, so that one can get far while another stands still. */
  #pick(ready: readonly Waiting[]): Waiting | null {
    const same = ready.filter(({ actor }) => actor === this.#last);
    const from = same.length > 0 && this.#random() < stayWithRun ? same : ready;
    const next = from[Math.floor(this.#random() * from.length)] ?? null;
    this.#last = next?.actor ?? this.#last;
    return next;
  }

  async #goOn(call: Waiting): Promise<void> {
    const { actor, answer } = call;
    actor.steps += 1;
    if (answer === null && call.shared) actor.shared += 1;
    if (await this.#struck(call)) return;
    if (answer !== null) return this.#give(call, answer);
    if (call.shared) {
      if (this.lossy && call.unanswered !== null && this.#random() < lossOfAnswer) {
        if (this.#random() < 0.5) await this.#act(call, "lost answer");
        else this.#note(call, "lost");
        return this.#give(call, call.unanswered);
      }
    }
    const given = await this.#act(call, "");
    if (call.shared && this.#random() < answerLater) call.answer = given;
    else this.#give(call, given);
  }

  /** Whether the run's next fate was due; the call waits then, or is gone with its run. */
  async #struck({ actor, answer, shared, name }: Waiting): Promise<boolean> {
    const [fate] = actor.fates;
    if (fate === undefined || actor.state !== "works") return false;
    const comesTo = answer === null && fate.at === name;
    if (fate.kind === "freezes") {
      if (!comesTo && fate.at !== actor.steps) return false;
      actor.fates.shift();
      this.#freeze(actor, fate);
      return true;
    }
    if (answer !== null || !shared || (!comesTo && fate.at !== actor.shared)) return false;
    actor.fates.shift();
    if (fate.kind === "pauses") this.#pause(actor, fate.backAfter);
    else await this.#strike(actor, fate);
    return true;
  }

  async #act(call: Waiting, how: string): Promise<() => unknown> {
    this.#note(call, how);
    try {
      const value = await call.act();
      return () => value;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  #give(call: Waiting, answer: () => unknown): void {
    this.#waiting = this.#waiting.filter((other) => other !== call);
    try {
      call.resolve(answer());
    } catch (error) {
      call.reject(error);
    }
  }

  #pause(actor: Actor, backAfter: number): void {
    this.trace.push(`${this.step} ${actor.name} pauses`);
    actor.state = "paused";
    this.after(backAfter, () => {
      actor.state = "works";
    });
  }

  #freeze(actor: Actor, { goneAfter, backAfter }: Extract<Fate, { kind: "freezes" }>): void {
    this.trace.push(`${this.step} ${actor.name} freezes`);
    actor.state = "cut";
    this.after(goneAfter, () => this.gone(actor));
    this.after(goneAfter + backAfter, () => this.#back(actor));
  }

  #back(actor: Actor): void {
    this.trace.push(`${this.step} ${actor.name} back`);
    actor.state = "back";
  }

  async #strike(actor: Actor, fate: Extract<Fate, { kind: "dies" | "cut" }>): Promise<void> {
    this.trace.push(`${this.step} ${actor.name} ${fate.kind}`);
    actor.state = fate.kind === "dies" ? "dead" : "cut";
    const open = this.#waiting.filter((call) => call.actor === actor && call.shared && call.answer === null);
    let last = 0;
    for (const call of open) {
      const drawn = Math.floor(this.#random() * 3);
      const landing = fate.kind === "dies" && fate.lands !== undefined ? Number(fate.lands) : drawn;
      const later = landing === 2 ? 1 + Math.floor(this.#random() * 20) : 0;
      if (landing > 0) {
        last = Math.max(last, later);
        this.after(later, async () => {
          await this.#act(call, "landed");
        });
      }
      if (fate.kind === "cut") call.answer = call.unanswered ?? noAnswer(call.name);
    }
    if (fate.kind === "dies") this.#waiting = this.#waiting.filter((call) => call.actor !== actor);
    const goneAfter = last + 1 + fate.goneAfter;
    const post = fate.kind === "dies" ? fate.post : undefined;
    // Its job goes on then until that is done.
    if (post === "in time") this.after(goneAfter, actor.onPost);
    else this.after(goneAfter, () => this.gone(actor));
    if (typeof post === "number") this.after(goneAfter + post, actor.onPost);
    if (fate.kind === "cut") this.after(goneAfter + fate.backAfter, () => this.#back(actor));
  }

  gone(actor: Actor): void {
    this.trace.push(`${this.step} ${actor.name} gone`);
    actor.onGone();
  }

  #note({ actor, name, args }: Waiting, how: string): void {
    const given = digestOf(JSON.stringify(args, plainly) ?? "").slice(0, 12);
    this.trace.push(`${this.step} ${actor.name} ${name} ${given}${how === "" ? "" : ` ${how}`}`);
  }
}

function mayGoOn({ state, from }: Actor, step: number): boolean {
  return state !== "cut" && state !== "paused" && from <= step;
}

function noAnswer(name: string): () => never {
  return () => {
    throw new Error(`${name}: no answer`);
  };
}

function plainly(_key: string, value: unknown): unknown {
  if (value instanceof AbortSignal || typeof value === "function") return undefined;
  return value instanceof Uint8Array ? digestOf(value) : value;
}

/** Everything that can go on without a port has gone on: what is left waits for a call's turn. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
