// A port whose every method waits for its turn at the scheduler.
import { HostUnavailable } from "../../../src/delivery/host.ts";
import { unansweredRequest } from "./refs.ts";
import type { Actor, Scheduler } from "./scheduler.ts";

type Gate = { readonly scheduler: Scheduler; readonly actor: Actor; readonly shared: boolean };

/** The same port; what is not a function or an object of functions stays as it is. */
export function gated<Port extends object>(port: Port, gate: Gate, prefix = ""): Port {
  const entries = Object.entries(port).map(([key, value]: [string, unknown]) => {
    const name = `${prefix}${key}`;
    if (typeof value === "function") return [key, gatedMethod(value as Method, name, gate)];
    const isGroup = typeof value === "object" && value !== null && Object.values(value).some(isFunction);
    return [key, isGroup ? gated(value, gate, `${name}.`) : value];
  });
  const symbols = Object.getOwnPropertySymbols(port).map((key) => [key, Reflect.get(port, key)]);
  return Object.fromEntries([...entries, ...symbols]) as Port;
}

type Method = (...args: unknown[]) => Promise<unknown>;

function gatedMethod(method: Method, name: string, { scheduler, actor, shared }: Gate): Method {
  return (...args) =>
    scheduler.call(actor, {
      ...{ name, args, shared },
      act: () => method(...args),
      unanswered: shared ? unansweredOf(name) : null,
    });
}

const making = ["branch.commit", "branch.create", "branch.advance", "pullRequest.open", "pullRequest.update"];
const commenting = ["comment.create", "comment.update"];

/** What the adapters make of a call that got no answer. */
function unansweredOf(name: string): () => unknown {
  const why = `no answer to ${name}`;
  if (making.includes(name) || commenting.includes(name))
    return () => ({ kind: "refused", code: "unavailable", why });
  if (/^(git|actions)\./.test(name)) return () => unansweredRequest;
  if (name === "put") return () => ({ kind: "failed", why });
  if (name === "comment.react") return () => undefined;
  if (name === "pullRequest.forbidden") return () => null;
  return () => {
    throw new HostUnavailable(why);
  };
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
