import type { Authorised } from "../command/authorise.ts";
import {
  nothingTaken,
  type Picture,
  roomBeside,
  type Taken,
  takePictures,
} from "../command/take-pictures.ts";
import { followUpText, type Pictured, picturedRequest } from "../command/task.ts";
import type { Removed } from "../command/untrusted.ts";
import type { Means } from "./means.ts";
import { drawBoundary } from "./quote.ts";

/** What of pictures the messages of a session hold. */
export type Held = { readonly count: number; readonly characters: number };

export const noneHeld: Held = { count: 0, characters: 0 };

/** The pictures of texts for a session, as far as they are allowed and as its messages have room for them. */
export async function picturesFor(
  texts: readonly Pictured[],
  { pictures, mask, say }: Pick<Means, "pictures" | "mask" | "say">,
  { held, signal }: { readonly held: Held; readonly signal: AbortSignal },
): Promise<Taken> {
  if (pictures === null) return nothingTaken;
  const taken = await takePictures(texts, { pictures, mask, room: roomBeside(held), signal });
  for (const what of taken.shown.values()) {
    if (what.kind === "left-out") say(`An image is left out: ${what.why}.`);
  }
  return taken;
}

/** Words for a session that has begun, with their pictures; `said` are the words without. */
export async function picturedFollowUp(
  said: { readonly text: string; readonly asked: Authorised },
  means: Pick<Means, "pictures" | "mask" | "say" | "repository" | "bytes">,
  options: { readonly held: Held; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly images: readonly Picture[] }> {
  const { asked } = said;
  const taken = await picturesFor([picturedRequest(asked)], means, options);
  if (taken.shown.size === 0) return { text: said.text, images: [] };
  const { owner, name } = means.repository;
  const boundary = (): string => drawBoundary(means);
  const told = followUpText(asked, { repository: `${owner}/${name}`, boundary, taken });
  return { text: told.kind === "task" ? told.text : said.text, images: taken.pictures };
}

/**
 * What people are told of that which the model is not; none where it is told everything. `allowable` is whether the
 * workflow could have let it be shown pictures.
 */
export function removedNote(
  removed: Removed,
  { allowable }: { readonly allowable: boolean },
): readonly string[] {
  const { comments, invisible, cutBytes, images } = removed;
  const parts = [
    counted(comments, "hidden comment"),
    counted(invisible, "invisible character"),
    cutBytes === 0 ? "" : `${counted(cutBytes, "byte")} over the limit`,
    counted(images, "image"),
  ].filter((part) => part !== "");
  if (parts.length === 0) return [];
  const hint = images > 0 && allowable ? " The input `images` can allow those uploaded to GitHub." : "";
  return [`Left out of what the model was told: ${parts.join(", ")}.${hint}`];
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
