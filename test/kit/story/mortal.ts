// A process that can die: once it is dead, nothing that it asked for ever comes back.
import type { SessionEvent } from "../../../src/session/event.ts";

/**
 * Where a process dies: at the `nth` call of a port's method, before it does anything, after it did all of it but
 * before the caller hears of it, or, for an append, with half of the line written.
 */
export type Death = {
  /** Such as `host.branch.create`; `files.append` is narrowed by `event`. */
  readonly at: string;
  readonly when: "before" | "after" | "torn";
  readonly event?: SessionEvent["type"];
  /** The effect, the call or the check that the event has to be about. */
  readonly of?: string;
  readonly nth?: number;
};

export class Life {
  dead = false;
  readonly #died = Promise.withResolvers<void>();
  readonly #death: Death | null;
  #seen = 0;

  constructor(death: Death | null) {
    this.#death = death;
  }

  /** Resolves at the moment of death. */
  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** What happens at this call: nothing, or one of the ways to die. */
  fateAt(name: string, args: readonly unknown[]): Death["when"] | null {
    const death = this.#death;
    if (death === null || death.at !== name || !isAbout(death, args)) return null;
    this.#seen += 1;
    return this.#seen === (death.nth ?? 1) ? death.when : null;
  }

  die(): void {
    this.dead = true;
    this.#died.resolve();
  }
}

const never = new Promise<never>(() => undefined);

/** The same port in a process that can die; what is not a function or an object of functions stays as it is. */
export function mortal<Port extends object>(port: Port, life: Life, prefix: string): Port {
  const entries = Object.entries(port).map(([key, value]: [string, unknown]) => {
    const name = `${prefix}.${key}`;
    if (typeof value === "function") return [key, mortalMethod(value as Method, life, name)];
    const isGroup =
      typeof value === "object" &&
      value !== null &&
      Object.values(value).some((one) => typeof one === "function");
    return [key, isGroup ? mortal(value, life, name) : value];
  });
  const symbols = Object.getOwnPropertySymbols(port).map((key) => [key, Reflect.get(port, key)]);
  return Object.fromEntries([...entries, ...symbols]) as Port;
}

type Method = (...args: unknown[]) => unknown;

function mortalMethod(method: Method, life: Life, name: string): Method {
  return async (...args) => {
    if (life.dead) return never;
    const fate = life.fateAt(name, args);
    if (fate === "torn") await method(half(args[0]), ...args.slice(1));
    if (fate === "torn" || fate === "before") life.die();
    if (life.dead) return never;
    const result = await method(...args);
    if (fate === "after") life.die();
    return life.dead ? never : result;
  };
}

function half(bytes: unknown): unknown {
  return bytes instanceof Uint8Array ? bytes.subarray(0, bytes.length >> 1) : bytes;
}

function isAbout({ event: type, of }: Death, [first]: readonly unknown[]): boolean {
  if (type === undefined) return of === undefined || JSON.stringify(first).includes(of);
  if (!(first instanceof Uint8Array)) return false;
  const lines = Buffer.from(first).toString().trimEnd().split("\n");
  // The log that a resume unpacks is one write of many lines.
  if (lines.length !== 1) return false;
  const { event } = JSON.parse(lines[0] ?? "") as { event: SessionEvent };
  return event.type === type && (of === undefined || JSON.stringify(event).includes(of));
}
