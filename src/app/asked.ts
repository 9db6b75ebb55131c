import type { Waiting } from "../delivery/waiting.ts";
import type { SessionId } from "../session/id.ts";
import type { State } from "../session/state.ts";

/** The comment that asked people last for an answer, or for an approval; null where there is none. */
export function askedIn(
  effects: State["effects"],
  session: SessionId,
  kind: Waiting["kind"],
): { readonly comment: number; readonly url: string | null } | null {
  const made = Object.entries(effects).filter(
    ([key, { status }]) => key.startsWith(`${session}/${kind}/`) && status === "done",
  );
  const last = made.at(-1)?.[1];
  return last === undefined ? null : { comment: Number(last.detail), url: last.url };
}
