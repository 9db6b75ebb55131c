import { parseCommand } from "../command/command.ts";
import { nothingTaken, type Taken } from "../command/take-pictures.ts";
import { additionText, loginOf, remarkText } from "../command/task.ts";
import type { RecentComment } from "../delivery/host.ts";
import { markerOf, startsWithMarker } from "../delivery/marker.ts";
import type { NewInput } from "../loop/run.ts";
import { sessionOfComment } from "../session/id.ts";
import { type Earshot, isLater } from "./earshot.ts";
import type { Means } from "./means.ts";

/** A comment that matters to the session at work, if its author may give commands. `text` is untrusted. */
export type Overheard = {
  /** `addition` steers the work, `remark` was said to nobody in particular. */
  readonly kind: "stop" | "addition" | "remark";
  readonly id: number;
  readonly author: NonNullable<RecentComment["author"]>;
  readonly text: string;
};

/** The most that is taken in at once; what is over waits for the next time. */
export const takenInMax = { comments: 10, bytes: 64 * 1024 };

type Session = {
  /** Ids of what it has taken in. */
  readonly inputs: readonly string[];
  /** Wall time in ms from which it listens. */
  readonly since: number;
  readonly earshot: Earshot;
};

/**
 * What of a thread's comments is for the session that works on it, oldest first. All other commands are for jobs of
 * their own; what was edited, and what we wrote, says nothing.
 */
export function overheard(
  comments: readonly RecentComment[],
  session: Session,
  { key, repository, orders }: Pick<Means, "key" | "repository" | "orders">,
): readonly Overheard[] {
  const { triggerPhrase } = orders;
  const ours = comments.filter(({ own }) => own).map(({ body }) => body);
  // Its own job has answered it, or begun something with it. The answer to a stop takes nothing from it.
  const isTakenUp = (id: number): boolean => {
    const own = sessionOfComment(repository.id, id);
    const markers = [markerOf(key, own, "comment"), markerOf(key, own, "reply")];
    return ours.some((body) => markers.some((marker) => body.includes(marker)));
  };
  return comments
    .filter(({ edited, createdAt }) => !edited && createdAt >= session.since)
    .flatMap((comment) => overheardIn(comment, session, triggerPhrase))
    .filter(({ kind, id }) => !isOver(kind, id, session))
    .filter(({ kind, id }) => kind !== "addition" || !isTakenUp(id))
    .sort((a, b) => a.id - b.id);
}

/**
 * Whether the session has taken it in. A stop that ended a run counts for another one, too, that was asked for before
 * it and begins after it: a job that waited while that run worked.
 */
function isOver(kind: Overheard["kind"], id: number, { inputs, earshot }: Session): boolean {
  if (kind === "stop" && earshot.comment !== null) return false;
  return inputs.includes(inputIdOf(id));
}

function overheardIn(
  comment: RecentComment,
  { earshot }: Session,
  triggerPhrase: string,
): readonly Overheard[] {
  const { id, body, author, own } = comment;
  if (author === null) return [];
  // Whoever lent us the token writes under the same name, and what we write ourselves begins with a marker.
  if (own && startsWithMarker(body)) return [];
  const command = parseCommand(body, triggerPhrase);
  if (command?.kind === "stop")
    return isLater(comment, earshot) ? [{ kind: "stop", id, author, text: "" }] : [];
  if (command?.kind === "go-on") return [{ kind: "addition", id, author, text: command.text }];
  return body.includes(triggerPhrase) ? [] : [{ kind: "remark", id, author, text: body }];
}

/** As the model is told it, with what was fetched of its pictures; null where nothing of it can be seen. */
export function inputOf(
  { kind, id, author, text }: Overheard,
  boundary: () => string,
  taken: Taken = nothingTaken,
): NewInput | null {
  const told = kind === "remark" ? remarkText : additionText;
  const said = told({ by: loginOf(author.login), text }, { boundary, taken });
  if (said === null) return null;
  const shown = taken.pictures.length === 0 ? {} : { images: taken.pictures };
  return { id: inputIdOf(id), by: author.login, text: said.text, ...shown };
}

/** The first of them, within what is taken in at once; one at least. */
export function firstOf(inputs: readonly NewInput[]): readonly NewInput[] {
  let bytes = 0;
  const end = inputs.findIndex(({ text }, at) => {
    bytes += Buffer.byteLength(text);
    return at === takenInMax.comments || (at > 0 && bytes > takenInMax.bytes);
  });
  return end === -1 ? inputs : inputs.slice(0, end);
}

/** How a comment is called as an input of a session. */
export function inputIdOf(comment: number): string {
  return `comment:${comment}`;
}

export function commentOf(input: string): number {
  return Number(input.replace(/^comment:/, ""));
}
