import type { NewInput } from "./run.ts";
import type { Story } from "./story.ts";

/** Records what a person said, with the pictures they gave, so that every request from now on holds the same bytes. */
export async function acceptInput(
  journal: Pick<Story, "append" | "store">,
  { id, by, text, images = [] }: NewInput,
): Promise<void> {
  const stored = [];
  for (const { mediaType, data } of images) stored.push({ mediaType, data: await journal.store(data) });
  const shown = stored.length === 0 ? {} : { images: stored };
  await journal.append({ type: "input.accepted", id, by, text: await journal.store(text), ...shown });
}
