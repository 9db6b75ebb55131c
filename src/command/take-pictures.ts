import type { Mask } from "../base/masking.ts";
import { type ImageReference, imagesIn } from "./images.ts";
import { pictureKind } from "./picture-kind.ts";
import type { Fetched, Pictures, TextPlace } from "./pictures.ts";

/** A picture as the provider takes it; `data` is base64. */
export type Picture = { readonly mediaType: string; readonly data: string };

/** What became of a picture: the number under which the model is shown it, or why it is left out. */
export type Shown =
  | { readonly kind: "shown"; readonly number: number }
  | { readonly kind: "left-out"; readonly why: string };

export type Taken = {
  readonly pictures: readonly Picture[];
  /** By address, for each that the texts refer to. */
  readonly shown: ReadonlyMap<string, Shown>;
};

export const nothingTaken: Taken = { pictures: [], shown: new Map() };

export const pictureLimits = {
  /** In one input. */
  countMax: 8,
  /** In all messages of a request: with more than 20 the provider takes smaller ones only. */
  inContextMax: 20,
  /** The provider's limit is 5 MiB of base64, in which three bytes are four. */
  bytesMax: (5 * 1024 * 1024 * 3) / 4,
  /** In all messages of a request, of which the provider takes 32 MB: these are 16 MiB of base64. */
  inContextBytesMax: 12 * 1024 * 1024,
  pixelsMax: 8_000,
} as const;

/** What the session can still hold. */
export type Room = { readonly count: number; readonly bytes: number };

/** `characters` of base64 are in the session's messages by now, as `count` pictures. */
export function roomBeside({
  count,
  characters,
}: {
  readonly count: number;
  readonly characters: number;
}): Room {
  const { inContextMax, inContextBytesMax } = pictureLimits;
  return { count: Math.max(0, inContextMax - count), bytes: inContextBytesMax - (characters / 4) * 3 };
}

type Text = { readonly text: string; readonly place: TextPlace | null };

/**
 * Fetches the pictures that texts refer to, as many as fit; the rest is left out with its reason. Resolves in
 * every case: a picture never ends a run.
 */
export async function takePictures(
  texts: readonly Text[],
  options: {
    readonly pictures: Pictures;
    readonly mask: Mask;
    readonly room: Room;
    readonly signal: AbortSignal;
  },
): Promise<Taken> {
  const taken: Picture[] = [];
  const shown = new Map<string, Shown>();
  const asked = placesOf(texts);
  const max = Math.min(pictureLimits.countMax, options.room.count);
  const within = asked.slice(0, max);
  for (const { url } of asked.slice(max)) shown.set(url, leftOut(`there are more than ${max}`));
  let bytesLeft = options.room.bytes;
  for (const { url, fetched } of await fetchAll(within, options)) {
    const judged = judge(fetched, bytesLeft, options.mask);
    if (judged.kind === "left-out") {
      shown.set(url, judged);
      continue;
    }
    bytesLeft -= judged.bytes;
    taken.push(judged.picture);
    shown.set(url, { kind: "shown", number: taken.length });
  }
  return { pictures: taken, shown };
}

type Asked = { readonly url: string; readonly place: TextPlace | null };

/** Each address once, where it stands first. */
function placesOf(texts: readonly Text[]): readonly Asked[] {
  const asked = texts.flatMap(({ text, place }) => imagesIn(text).flatMap((image) => at(image, place)));
  return asked.filter(({ url }, i) => asked.findIndex((one) => one.url === url) === i);
}

function at({ url }: ImageReference, place: TextPlace | null): readonly Asked[] {
  return url === null ? [] : [{ url, place }];
}

async function fetchAll(
  asked: readonly Asked[],
  { pictures, signal }: { readonly pictures: Pictures; readonly signal: AbortSignal },
): Promise<readonly (Asked & { readonly fetched: Fetched })[]> {
  const places = [...new Set(asked.map(({ place }) => place))];
  const { bytesMax } = pictureLimits;
  const all = await Promise.all(
    places.map(async (place) => {
      const here = asked.filter((one) => one.place === place);
      const urls = here.map(({ url }) => url);
      const fetched = await pictures.fetch(urls, { place, bytesMax, signal });
      return here.map((one, i) => ({ ...one, fetched: fetched[i] ?? none }));
    }),
  );
  return all.flat();
}

const none: Fetched = { kind: "none", why: "it was not fetched" };

type Judged =
  | { readonly kind: "picture"; readonly picture: Picture; readonly bytes: number }
  | Extract<Shown, { kind: "left-out" }>;

function judge(fetched: Fetched, bytesLeft: number, mask: Mask): Judged {
  if (fetched.kind === "none") return leftOut(fetched.why);
  const { bytes } = fetched;
  if (bytes.length > pictureLimits.bytesMax)
    return leftOut(`it is larger than ${pictureLimits.bytesMax} bytes`);
  const kind = pictureKind(bytes);
  if (kind.kind === "other") return leftOut(kind.why);
  const { mediaType, width, height } = kind;
  if (Math.max(width, height) > pictureLimits.pixelsMax)
    return leftOut(`it has more than ${pictureLimits.pixelsMax} pixels in a row`);
  if (bytes.length > bytesLeft) return leftOut("together they are too large");
  const file = Buffer.from(bytes);
  const data = file.toString("base64");
  // Text in a file, such as its title, could carry a secret. And what is stored is masked, which would damage it.
  const holdsSecret = [data, file.toString("latin1")].some((text) => mask(text) !== text);
  if (holdsSecret) return leftOut("it holds a secret of this run");
  return { kind: "picture", picture: { mediaType, data }, bytes: bytes.length };
}

function leftOut(why: string): Extract<Shown, { kind: "left-out" }> {
  return { kind: "left-out", why };
}
