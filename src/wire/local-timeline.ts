import type { Mask } from "../base/masking.ts";
import type { Identity, IntendedCall, SessionEvent } from "../session/event.ts";
import type { SessionFiles } from "../session/files.ts";

const lineCharactersMax = 160;

/** One place where everything is printed: masked, and with nothing in it that a terminal would obey. */
export function printer(write: (text: string) => void, mask: Mask): (text: string) => void {
  return (text) => write(`${mask(text).replaceAll(unprintable, "\ufffd")}\n`);
}

/** Control and format characters, by which text moves the cursor or hides itself; not the line end and the tab. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The same files; `watch` is told of each event once its append returned. */
export function watched(files: SessionFiles, watch: (event: SessionEvent) => void): SessionFiles {
  return {
    ...files,
    append: async (line, options) => {
      await files.append(line, options);
      // A resumed session arrives as many lines in one: that is no news.
      if (line.indexOf(10) === line.length - 1) {
        watch((JSON.parse(new TextDecoder().decode(line)) as { readonly event: SessionEvent }).event);
      }
    },
  };
}

/** A line for what a person at a terminal wants to know of an event, or null. */
export function timeline(): (event: SessionEvent) => string | null {
  const calls = new Map<string, string>();
  return (event) => {
    if (event.type === "calls.intended") {
      for (const call of event.calls) calls.set(call.id, labelOf(call));
      return event.calls.map((call) => cut(`  ${labelOf(call)}`)).join("\n");
    }
    if (event.type === "call.settled" && event.status !== "ok")
      return cut(`  ${event.status}: ${calls.get(event.id) ?? event.id}`);
    return lineOf(event);
  };
}

function lineOf(event: SessionEvent): string | null {
  switch (event.type) {
    case "session.opened":
      return openedLine(event.identity);
    case "run.claimed":
      return event.gen === 1 ? null : `generation ${event.gen} goes on after record ${event.head?.seq ?? 0}`;
    case "sandbox.started":
      return `sandbox: ${event.sandbox}`;
    case "setup.started":
      return event.commands.length === 0 ? null : `setup: ${event.commands.join("; ")}`;
    case "reply.requested":
      return event.attempt === 1 ? `turn ${event.turn}` : `turn ${event.turn}, attempt ${event.attempt}`;
    case "reply.failed":
      return `  no reply: ${event.reason}`;
    case "check.settled":
      return `  check ${event.check} on the ${event.on}: ${exitOf(event)}`;
    case "gate.passed":
      return `gate, round ${event.round}: passed on tree ${event.tree.slice(0, 12)}`;
    case "gate.failed":
      return `gate, round ${event.round}: red; the findings go back to the model`;
    case "effect.settled":
      return cut(`  ${event.key.split("/").slice(1).join("/")} ${event.status}: ${event.detail}`);
    case "approval.requested":
      return cut(`  a person has to allow ${event.tool}: ${event.why}`);
    case "approval.granted":
    case "approval.denied":
      return `  ${event.type.slice("approval.".length)} by ${event.by}`;
    case "context.compacted":
      return "the conversation was shortened to a summary and its last turns";
    case "log.repaired":
      return `the log's last record was torn; ${event.cutBytes} bytes were cut and are kept aside`;
    case "setup.settled":
    case "input.accepted":
    case "note.added":
    case "reply.received":
    case "approval.abandoned":
    case "calls.intended":
    case "call.settled":
    case "turn.ended":
    case "check.started":
    case "effect.intended":
    case "shipment.sent":
    case "run.suspended":
    case "session.ended":
      return null;
  }
}

function openedLine({ session, baseRef, baseSha, model }: Identity): string {
  const from = `${baseSha.slice(0, 12)} of ${baseRef}`;
  return `${session}: work begins at ${from}, with ${model}; what is not committed is not part of it`;
}

function exitOf({ exitCode, timedOut, ms }: Extract<SessionEvent, { type: "check.settled" }>): string {
  const how = timedOut ? "out of time" : exitCode === null ? "killed" : `exit ${exitCode}`;
  return `${how}, ${(ms / 1000).toFixed(1)} s`;
}

/** The tool and its first argument. */
function labelOf({ tool, arguments: given }: IntendedCall): string {
  if (given.type === "blob") return `${tool} (${given.bytes} bytes)`;
  const values: unknown = JSON.parse(given.text);
  const first = typeof values === "object" && values !== null ? Object.values(values)[0] : undefined;
  if (first === undefined) return tool;
  return `${tool} ${typeof first === "string" ? first : JSON.stringify(first)}`;
}

function cut(line: string): string {
  const flat = line.replaceAll("\n", " ⏎ ");
  return flat.length <= lineCharactersMax ? flat : `${flat.slice(0, lineCharactersMax - 1)}…`;
}
