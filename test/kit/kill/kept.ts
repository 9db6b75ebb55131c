// The records that a death left somewhere: on the machine, where post still runs, or on the shelf.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { storedSession } from "../stored.ts";
import type { World } from "../world.ts";
import { type Ran, ranIn } from "./story.ts";

export type LogRecord = { readonly hash: string; readonly event: Readonly<Record<string, unknown>> };

/** Whole lines only: what a torn one was to say was never acknowledged. */
export function recordsIn(log: string): readonly LogRecord[] {
  return log
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogRecord);
}

/**
 * Every record whose line a run wrote on this machine. Before its task is recorded a session has not begun: nothing
 * was done, nothing is stored, and the command is simply given again. The note of the shipment that holds the
 * session's end is in no shipment, and where nothing happens to a run it is not either.
 */
export function recordsOn(machine: string, session: string): readonly LogRecord[] {
  const file = join(machine, "work/_temp/agent", session, "events.jsonl");
  const records = existsSync(file) ? recordsIn(readFileSync(file, "utf8")) : [];
  if (!records.some(({ event }) => event["type"] === "input.accepted")) return [];
  const end = records.findLastIndex(({ event }) => event["type"] === "session.ended");
  return records.filter(({ event }, i) => end < 0 || i <= end || event["type"] !== "shipment.sent");
}

/** What the shelf holds of a session. Throws when it cannot be read as one whole log. */
export async function recordsStored(world: World, session: string): Promise<readonly LogRecord[]> {
  const stored = await storedSession(world, session);
  return stored === null ? [] : recordsIn(new TextDecoder().decode(stored.found.log));
}

type IntendedCall = { readonly id: string; readonly tool: string };

/** The commands of the story whose calls these records settle as done: none of them may ever run again. */
export function commandsDone(records: readonly LogRecord[]): readonly Ran[] {
  const calls = records.flatMap(({ event }) =>
    event["type"] === "calls.intended" ? (event["calls"] as readonly IntendedCall[]) : [],
  );
  const done = records.flatMap(({ event }) =>
    event["type"] === "call.settled" && event["status"] === "ok" ? [event["id"]] : [],
  );
  return calls
    .filter(({ id }) => done.includes(id))
    .flatMap((call) => ranIn(JSON.stringify(call).replaceAll("\\", "")) ?? []);
}
