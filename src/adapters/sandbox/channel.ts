import type { Readable, Writable } from "node:stream";
import { parseAnswer } from "./answer.ts";
import { lineReader } from "./lines.ts";
import type { Answer, Request } from "./protocol.ts";

/** The sandbox ended, or what reports from it stopped making sense. Whatever ran in it is gone or being killed. */
export class SandboxLost extends Error {
  override readonly name = "SandboxLost";
}

type Asked = Exclude<Request, { type: "abort" }>;
type Settled = Exclude<Answer, { type: "ready" | "output" }>;
type AnswerTypes = { readonly call: "outcome"; readonly command: "ended"; readonly probe: "probed" };
/** A request of one type, before it has a number, and the answer that it gets. */
export type Ask<T extends Asked["type"]> = { readonly type: T } & Omit<Extract<Asked, { type: T }>, "id">;
export type AnswerTo<T extends Asked["type"]> = Extract<Answer, { type: AnswerTypes[T] }>;
export type AskType = Asked["type"];
export type AskOptions = { readonly signal: AbortSignal; readonly onOutput?: (text: string) => void };

type Waiting = {
  readonly settle: (answer: Settled) => void;
  readonly lose: (error: Error) => void;
} & AskOptions;

/** The broker's end: asks, and takes every byte that comes back as data. */
export class Channel {
  readonly #input: Writable;
  readonly #onBroken: (why: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly ready: Promise<void>;
  #settleReady: { resolve: () => void; reject: (error: Error) => void };
  #lost: SandboxLost | null = null;
  #nextId = 1;

  /** `onBroken` is called when the other end breaks the protocol: it has to be killed. */
  constructor(input: Writable, output: Readable, onBroken: (why: string) => void) {
    this.#input = input;
    this.#onBroken = onBroken;
    const { promise, ...settle } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#settleReady = settle;
    // Whoever opens the sandbox awaits it; a loss before that must not count as unhandled.
    promise.catch(() => undefined);
    output.on(
      "data",
      lineReader({
        onLine: (line) => this.#hear(line),
        onOverflow: () => this.#break("a line of the protocol was too long"),
      }),
    );
    input.on("error", () => this.lose("it does not listen any more"));
  }

  /** Resolves with the answer, in every case but the loss of the sandbox. An abort is sent on and answered there. */
  ask<T extends AskType>(request: Ask<T>, options: AskOptions): Promise<AnswerTo<T>> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    const id = this.#nextId++;
    const abort = () => this.#write({ type: "abort", id });
    const { promise, resolve, reject } = Promise.withResolvers<Settled>();
    this.#waiting.set(id, { ...options, settle: resolve, lose: reject });
    this.#write({ ...request, id } as unknown as Asked);
    if (options.signal.aborted) abort();
    options.signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => options.signal.removeEventListener("abort", abort)) as Promise<AnswerTo<T>>;
  }

  lose(why: string): void {
    this.#lost ??= new SandboxLost(`the sandbox was lost: ${why}`);
    this.#settleReady.reject(this.#lost);
    for (const waiting of this.#waiting.values()) waiting.lose(this.#lost);
    this.#waiting.clear();
  }

  #write(request: Request): void {
    this.#input.write(`${JSON.stringify(request)}\n`);
  }

  #break(why: string): void {
    this.lose(why);
    this.#onBroken(why);
  }

  #hear(line: string): void {
    const answer = parseAnswer(line);
    if (answer === null) {
      this.#break("it sent something that is no answer");
    } else if (answer.type === "ready") {
      this.#settleReady.resolve();
    } else if (answer.type === "output") {
      this.#waiting.get(answer.id)?.onOutput?.(answer.text);
    } else {
      this.#waiting.get(answer.id)?.settle(answer);
      this.#waiting.delete(answer.id);
    }
  }
}
