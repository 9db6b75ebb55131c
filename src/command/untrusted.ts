import { removeHiddenMarkup } from "./hidden-markup.ts";
import { removeInvisible } from "./invisible.ts";

/** What was taken out of a text before the model saw it. Counted, so that it can be reported. */
export type Removed = {
  readonly comments: number;
  readonly invisible: number;
  /** Bytes that were over the cap. */
  readonly cutBytes: number;
  /** Pictures that the model is not shown. */
  readonly images: number;
};

const nothingRemoved: Removed = { comments: 0, invisible: 0, cutBytes: 0, images: 0 };

/**
 * The one way an untrusted text goes before a model sees it (R4). What a reader of the page sees stays byte for byte;
 * what only a machine would see is removed and counted. `bytesMax` caps the result, which then says that it was cut.
 */
export function normaliseUntrusted(
  raw: string,
  { bytesMax = 64 * 1024 }: { readonly bytesMax?: number } = {},
): { readonly text: string; readonly removed: Removed } {
  let text = raw.slice(0, rawCharactersMax);
  let comments = 0;
  let invisible = 0;
  for (let pass = 0; pass < passesMax; pass++) {
    // Markup first: an invisible character can make a line not the fence that it looks like afterwards.
    const shown = removeHiddenMarkup(text);
    const visible = removeInvisible(shown.text);
    text = visible.text;
    comments += shown.removed;
    invisible += visible.removed;
    if (visible.removed === 0) break;
  }
  if (raw.length > rawCharactersMax) text = text.slice(0, openCommentIn(text));
  const cut = cutText(text, bytesMax, { alreadyCut: Buffer.byteLength(raw.slice(rawCharactersMax)) });
  return { text: cut.text, removed: { comments, invisible, cutBytes: cut.cutBytes, images: 0 } };
}

/**
 * Wraps a text so that it cannot pretend to be another section: both ends carry the session's random boundary.
 * Null when the text holds the boundary; the caller draws another.
 */
export function quoteUntrusted(label: string, text: string, boundary: string): string | null {
  if (text.includes(boundary)) return null;
  return `[begin ${boundary}: ${label}]\n${text}\n[end ${boundary}: ${label}]`;
}

export function addRemoved(all: readonly Removed[]): Removed {
  return all.reduce(
    (sum, one) => ({
      comments: sum.comments + one.comments,
      invisible: sum.invisible + one.invisible,
      cutBytes: sum.cutBytes + one.cutBytes,
      images: sum.images + one.images,
    }),
    nothingRemoved,
  );
}

/** GitHub allows 65,536 characters in a body; four times that is certainly somebody's attempt. */
const rawCharactersMax = 256 * 1024;
const passesMax = 8;

/** A comment that the raw cut left without its end would show what it hid. */
function openCommentIn(text: string): number {
  const open = text.lastIndexOf("<!");
  return open === -1 ? text.length : open;
}

/** The first `bytesMax` bytes of a text at most, which says in one more line how many are missing. */
export function cutText(
  text: string,
  bytesMax: number,
  { alreadyCut = 0 }: { readonly alreadyCut?: number } = {},
): { readonly text: string; readonly cutBytes: number } {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax && alreadyCut === 0) return { text, cutBytes: 0 };
  let end = Math.min(bytesMax, bytes.length);
  // Not in the middle of a character: continuation bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const cutBytes = bytes.length - end + alreadyCut;
  return { text: `${bytes.subarray(0, end)}\n[cut here: ${cutBytes} more bytes are not shown]`, cutBytes };
}
