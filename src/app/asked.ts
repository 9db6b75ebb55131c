import type { Waiting } from "../delivery/waiting.ts";
import type { SessionId } from "../session/id.ts";
import type { State } from "../session/state.ts";

/**
 * The address of the comment by which people were asked last for an answer, or for an approval; null where it could not be made. That
 * one of before is there says nothing: it asks something else.
 */
export function askedAt(effects: State["effects"], session: SessionId, kind: Waiting["kind"]): string | null {
  const asked = Object.entries(effects).filter(([key]) => key.startsWith(`${session}/${kind}/`));
  const last = asked.at(-1)?.[1];
  return last?.status === "done" ? last.url : null;
}
