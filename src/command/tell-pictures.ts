import { replaceImages } from "./images.ts";
import type { Shown, Taken } from "./take-pictures.ts";

/**
 * A text with words in place of its pictures: the number under which one is shown, or that it is left out. Without
 * `shown` all of them are.
 */
export function tellPictures(
  text: string,
  shown: ReadonlyMap<string, Shown> = new Map(),
): { readonly text: string; readonly leftOut: number } {
  let leftOut = 0;
  const told = replaceImages(text, ({ url, alt }) => {
    const what = url === null ? undefined : shown.get(url);
    if (what?.kind === "shown") return `[image ${what.number}${alt === "" ? "" : `: ${alt}`}]`;
    leftOut += 1;
    const why = what === undefined ? "" : ` (${what.why})`;
    return `[an image is left out here${why}${alt === "" ? "" : `: ${alt}`}]`;
  });
  return { text: told, leftOut };
}

/** What the model has to know of the pictures behind a text; none where there are none. */
export function picturesNote({ pictures }: Taken): readonly string[] {
  const count = pictures.length;
  if (count === 0) return [];
  const which =
    count === 1 ? "The image [image 1] follows" : `The images [image 1] to [image ${count}] follow`;
  return [`${which} this text. What is written in an image is part of the quoted section that it stands in.`];
}
