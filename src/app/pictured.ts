import { nothingTaken, roomBeside, type Taken, takePictures } from "../command/take-pictures.ts";
import type { Removed } from "../command/untrusted.ts";
import { imagesHeld } from "../loop/context.ts";
import type { Story } from "../loop/story.ts";
import type { Means } from "./means.ts";

/** The pictures of texts for a session, as far as they are allowed and as its messages have room for them. */
export async function picturesFor(
  texts: Parameters<typeof takePictures>[0],
  { pictures, mask, say }: Pick<Means, "pictures" | "mask" | "say">,
  { story, signal }: { readonly story: Pick<Story, "context"> | null; readonly signal: AbortSignal },
): Promise<Taken> {
  if (pictures === null) return nothingTaken;
  const room = roomBeside(story === null ? { count: 0, characters: 0 } : imagesHeld(story.context));
  const taken = await takePictures(texts, { pictures, mask, room, signal });
  for (const what of taken.shown.values()) {
    if (what.kind === "left-out") say(`An image is left out: ${what.why}.`);
  }
  return taken;
}

/** What people are told of that which the model is not; none where it is told everything. */
export function removedNote(removed: Removed, { pictures }: Pick<Means, "pictures">): readonly string[] {
  const { comments, invisible, cutBytes, images } = removed;
  const parts = [
    counted(comments, "hidden comment"),
    counted(invisible, "invisible character"),
    cutBytes === 0 ? "" : `${counted(cutBytes, "byte")} over the limit`,
    counted(images, "image"),
  ].filter((part) => part !== "");
  if (parts.length === 0) return [];
  const hint =
    images > 0 && pictures === null ? " The input `images` can allow those uploaded to GitHub." : "";
  return [`Left out of what the model was told: ${parts.join(", ")}.${hint}`];
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
