import type { Clock } from "../../src/base/clock.ts";
import { digestOf, type Sha } from "../../src/base/hash.ts";
import type { Budget, EventRecord, Identity, SessionEvent } from "../../src/session/event.ts";
import { parseSessionId, type SessionId } from "../../src/session/id.ts";
import { recordsFrom } from "../../src/session/reader.ts";
import type { VerifiedLog } from "../../src/session/verify.ts";

/** A clock that a test moves by hand; `sleep` returns at once and moves it. */
export function handClock(start = 1_764_000_000_000): Clock & { advance: (ms: number) => void } {
  let elapsed = 0;
  return {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    sleep: async (ms) => {
      elapsed += ms;
    },
    advance: (ms) => {
      elapsed += ms;
    },
  };
}

export function sessionId(text = "s0123456789ab"): SessionId {
  const id = parseSessionId(text);
  if (id === null) throw new Error(`${text} is no session id`);
  return id;
}

/** Every record of a log that was proved. */
export function recordsOf(log: VerifiedLog): readonly EventRecord[] {
  return [...recordsFrom(log.bytes, 0)].map(({ record }) => record);
}

export function eventsOf(log: VerifiedLog): readonly SessionEvent[] {
  return recordsOf(log).map(({ event }) => event);
}

export const someSha = "1".repeat(40) as Sha;

export function identity(over: Partial<Identity> = {}): Identity {
  return {
    session: sessionId(),
    repository: { id: 1296269, owner: "octo", name: "demo" },
    thread: { kind: "issue", number: 7 },
    actor: { login: "octo", id: 1 },
    baseSha: someSha,
    configSha: someSha,
    baseRef: "main",
    provider: "scripted",
    model: "scripted",
    protocol: 1,
    tools: digestOf("tools"),
    ...over,
  };
}

export const budget: Budget = { turns: 60, minutes: 50, tokens: null, costUsd: 5 };

export function opened(over: Partial<Identity> = {}): SessionEvent {
  return {
    type: "session.opened",
    identity: identity(over),
    budget,
    system: { type: "inline", text: "You are an agent." },
  };
}

export function inline(text: string): { readonly type: "inline"; readonly text: string } {
  return { type: "inline", text };
}

/** The events of one turn that calls one tool, as a real run writes them. */
export function turnOf(
  turn: number,
  call: { id: string; tool: string; tree: string | null },
): readonly SessionEvent[] {
  const { id, tool, tree } = call;
  return [
    { type: "reply.requested", turn, attempt: 1, maxTokens: 1000 },
    {
      type: "reply.received",
      turn,
      content: inline(JSON.stringify([{ type: "tool_use", id, name: tool, input: {} }])),
      stopReason: "tool_use",
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0.01,
      requestId: `req_${turn}`,
    },
    {
      type: "calls.intended",
      turn,
      calls: [{ id, tool, arguments: inline("{}"), class: tree === null ? "read" : "workspace" }],
    },
    {
      type: "call.settled",
      id,
      status: "ok",
      output: inline(`output of ${id}`),
      whole: null,
      tree: tree as never,
      plan: null,
    },
  ];
}
