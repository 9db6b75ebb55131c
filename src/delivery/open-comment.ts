import type { SessionId } from "../session/id.ts";
import { carryOut, type EffectDone, type EffectTools } from "./effect.ts";
import type { Host, HostRefusal } from "./host.ts";
import type { AskedEffect } from "./marker.ts";

export type Comment = { readonly id: number; readonly url: string };

/** Makes the session's one comment, or finds it and brings it up to date. Later edits are no effects of their own. */
export function openComment(
  comment: {
    readonly session: SessionId;
    readonly thread: number;
    /** Holds `marker`. */
    readonly body: string;
    readonly marker: string;
  },
  tools: EffectTools & { readonly host: Host },
): Promise<EffectDone<Comment> | HostRefusal> {
  const { session, thread, body, marker } = comment;
  const { host } = tools;
  return carryOut(
    {
      key: `${session}/comment`,
      detail: JSON.stringify({ thread }),
      find: async () => {
        // Two could only be there if a look-up had lied; the first one is kept.
        const [first] = await host.comment.find(thread, marker);
        if (!first) return null;
        if (first.body === body) return doneWith(first);
        const updated = await host.comment.update(first.id, body);
        return updated.kind === "made" ? doneWith(first) : updated;
      },
      make: async () => {
        const made = await host.comment.create(thread, body);
        return made.kind === "made" ? doneWith(made) : made;
      },
    },
    tools,
  );
}

/** A comment of its own, so that people are told of it; made once and never edited. */
export function postOnce(
  comment: {
    readonly session: SessionId;
    readonly effect: AskedEffect;
    readonly thread: number;
    /** Holds `marker`. */
    readonly body: string;
    readonly marker: string;
  },
  tools: EffectTools & { readonly host: Host },
): Promise<EffectDone<Comment> | HostRefusal> {
  const { session, effect, thread, body, marker } = comment;
  const { host } = tools;
  return carryOut(
    {
      key: `${session}/${effect}`,
      detail: JSON.stringify({ thread }),
      find: async () => {
        const [first] = await host.comment.find(thread, marker);
        return first === undefined ? null : doneWith(first);
      },
      make: async () => {
        const made = await host.comment.create(thread, body);
        return made.kind === "made" ? doneWith(made) : made;
      },
    },
    tools,
  );
}

function doneWith({ id, url }: Comment): EffectDone<Comment> {
  return { kind: "done", value: { id, url }, detail: String(id), url };
}
