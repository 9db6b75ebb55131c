import type { SessionId } from "../session/id.ts";
import {
  carryOut,
  type EffectDone,
  type EffectTools,
  type MakeTools,
  type Making,
  makeOnce,
} from "./effect.ts";
import type { Host, HostRefusal } from "./host.ts";
import type { AskedEffect } from "./marker.ts";

export type Comment = { readonly id: number; readonly url: string };

type Body = {
  readonly thread: number;
  /** Holds `marker`. */
  readonly body: string;
  readonly marker: string;
};

/** Makes the session's one comment, or finds it and brings it up to date. Later edits are no effects of their own. */
export function openComment(
  comment: Body & { readonly session: SessionId },
  tools: EffectTools & { readonly host: Host },
): Promise<EffectDone<Comment> | HostRefusal> {
  const { session, thread } = comment;
  const key = `${session}/comment`;
  return carryOut({ key, detail: JSON.stringify({ thread }), ...keeping(comment, tools.host) }, tools);
}

/** The same, of a comment that no log tells of, or no longer. */
export function keptComment(
  comment: Body,
  tools: MakeTools & { readonly host: Host },
): Promise<EffectDone<Comment> | HostRefusal> {
  return makeOnce(keeping(comment, tools.host), tools);
}

function keeping({ thread, body, marker }: Body, host: Host): Making<Comment> {
  return {
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
  };
}

/** A comment of its own, so that people are told of it; made once and never edited. */
export function postOnce(
  comment: Body & { readonly session: SessionId; readonly effect: AskedEffect },
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
