import type { Brand } from "../base/brand.ts";
import { digestOf } from "../base/hash.ts";

/** `s` and 12 hex digits, derived from what triggered the session: the same trigger finds the same session. */
export type SessionId = Brand<string, "SessionId">;

const shape = /^s[0-9a-f]{12}$/;

export function parseSessionId(text: string): SessionId | null {
  return shape.test(text) ? (text as SessionId) : null;
}

/** `source` names the trigger for good, such as `repo:1296269/comment:99262140` or `repo:1296269/run:30433642`. */
export function sessionIdOf(source: string): SessionId {
  return `s${digestOf(`baton/session/${source}`).slice(0, 12)}` as SessionId;
}

/** The same for a comment that is delivered twice, so that it starts one session. */
export function sessionOfComment(repositoryId: number, comment: number): SessionId {
  return sessionIdOf(`repo:${repositoryId}/comment:${comment}`);
}
