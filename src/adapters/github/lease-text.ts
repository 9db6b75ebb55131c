import { isObject } from "../../base/json.ts";
import { parseSessionId } from "../../session/id.ts";
import type { Lease } from "../../session/leases.ts";

/** What a lease's commit says: one line of JSON. */
export function leaseText({ session, gen, run, head }: Lease): string {
  return JSON.stringify({ v: 1, session, gen, run, head });
}

/** Null for anything that `leaseText` did not write. */
export function parseLease(text: string): Lease | null {
  const value = parse(text);
  if (value?.["v"] !== 1) return null;
  const session = typeof value["session"] === "string" ? parseSessionId(value["session"]) : null;
  const run = runOf(value["run"]);
  const head = headOf(value["head"]);
  const gen = value["gen"];
  if (session === null || run === null || head === undefined || !isCount(gen)) return null;
  return { session, gen, run, head };
}

function runOf(value: unknown): Lease["run"] | null {
  if (!isObject(value)) return null;
  const { id, attempt, job } = value;
  return typeof id === "string" && isCount(attempt) && typeof job === "string" ? { id, attempt, job } : null;
}

function headOf(value: unknown): Lease["head"] | undefined {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  const { seq, hash } = value;
  return isCount(seq) && typeof hash === "string" ? { seq, hash } : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
