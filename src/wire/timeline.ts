import type { Identity, SessionEvent } from "../session/event.ts";

type Event<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** What belongs to a turn, and is told with it. */
export type TurnEvent = Event<
  "reply.requested" | "reply.failed" | "reply.received" | "calls.intended" | "call.settled" | "turn.ended"
>;

const ofTurn: Readonly<Record<TurnEvent["type"], true>> = {
  "reply.requested": true,
  "reply.failed": true,
  "reply.received": true,
  "calls.intended": true,
  "call.settled": true,
  "turn.ended": true,
};

export function isOfTurn(event: SessionEvent): event is TurnEvent {
  return Object.hasOwn(ofTurn, event.type);
}

const checkedOn = {
  base: "the base",
  change: "the change",
  proof: "the base with the change's tests alone",
} as const;

/** A line for what a person wants to know of an event besides the turns, or null. It may hold anybody's text. */
export function lineOf(event: Exclude<SessionEvent, TurnEvent>): string | null {
  switch (event.type) {
    case "session.opened":
      return openedLine(event.identity);
    case "run.claimed":
      return event.gen === 1 ? null : `generation ${event.gen} goes on after record ${event.head?.seq ?? 0}`;
    case "sandbox.started":
      return `sandbox: ${event.sandbox}`;
    case "setup.started":
      return setupLine(event);
    case "check.started":
      return event.beside ? null : `check ${event.check} on ${checkedOn[event.on]}`;
    case "check.settled":
      if (event.beside) return `  on base, beside the work: ${event.check} ${howOf(event)}`;
      return `  check ${event.check} on ${checkedOn[event.on]}: ${exitOf(event)}`;
    case "gate.passed":
      return `gate, round ${event.round}: passed on tree ${event.tree.slice(0, 12)}`;
    case "gate.failed":
      return `gate, round ${event.round}: red`;
    case "effect.settled":
      return `  ${event.key.split("/").slice(1).join("/")} ${event.status}: ${event.detail}`;
    case "approval.requested":
      return `  a person has to allow ${event.tool}: ${event.why}`;
    case "approval.granted":
    case "approval.denied":
      return `  ${event.type.slice("approval.".length)} by ${event.by}`;
    case "context.compacted":
      return "the conversation was shortened to a summary and its last turns";
    case "images.left-out":
      return `images that the provider could not read were left out: ${event.count}`;
    case "thinking.left-out":
      return "what the model thought so far was left out, since its provider does not take it back";
    case "log.repaired":
      return `the log's last record was torn; ${event.cutBytes} bytes were cut and are kept aside`;
    case "run.suspended":
      return `suspended: ${event.reason}`;
    case "session.ended":
      return `ended: ${event.outcome} (${event.reason})`;
    case "input.accepted":
      return event.id.startsWith("comment:") ? `  told by ${event.by}, ${event.id}` : null;
    case "setup.settled":
      return setUpLine(event);
    case "note.added":
    case "approval.abandoned":
    case "effect.intended":
    case "shipment.sent":
      return null;
  }
}

const changedSetup = "setup on what the change installs";

function setupLine({ commands, approval }: Event<"setup.started">): string | null {
  if (commands.length === 0) return null;
  return `${approval === undefined ? "setup" : changedSetup}: ${commands.join("; ")}`;
}

function setUpLine({ ok, ms, approval }: Event<"setup.settled">): string | null {
  if (approval === undefined) return null;
  return `  ${changedSetup}: ${ok ? "done" : "failed"}, ${(ms / 1000).toFixed(1)} s`;
}

function openedLine({ session, baseRef, baseSha, model }: Identity): string {
  const from = `${baseSha.slice(0, 12)} of ${baseRef}`;
  return `${session}: work begins at ${from}, with ${model}; what is not committed is not part of it`;
}

function howOf(event: Event<"check.settled">): string {
  return `${event.exitCode === 0 && !event.timedOut ? "passed" : "failed"}, ${exitOf(event)}`;
}

function exitOf({ exitCode, timedOut, ms }: Event<"check.settled">): string {
  const how = timedOut ? "out of time" : exitCode === null ? "killed" : `exit ${exitCode}`;
  return `${how}, ${(ms / 1000).toFixed(1)} s`;
}
