/** A part of a secret that is as long as this is not written by chance. */
const partLengthMin = 16;

/** Every run of `2 * stride - 1` characters holds a whole block of the text, so one look at each block is enough. */
const stride = 8;

/** Where a block of a text may lie in a form of a secret. */
type Place = { readonly form: string; readonly at: number };

/** So that a secret of few patterns costs no more to look for than another. */
const placesMax = 4;

/**
 * Replaces every run of 16 characters or more of a secret, as it is, reversed, in hex or in base64, by `***`: a key
 * without its last few characters is as good as the key. Its cost grows with the text alone. A secret made of words has
 * no such parts, since ordinary text has the same words; nor has what a token says openly of itself.
 */
export function partsMask(secrets: readonly string[]): (text: string) => string {
  let places: ReadonlyMap<string, readonly Place[]> | null = null;
  return (text) => {
    if (text.length < partLengthMin) return text;
    // Made when it is first needed: most runs end before.
    places ??= placesIn(secrets.flatMap(hiddenIn).flatMap(formsOfPart));
    return places.size === 0 ? text : withoutParts(text, places);
  };
}

function withoutParts(text: string, places: ReadonlyMap<string, readonly Place[]>): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at + stride <= text.length; at += stride) {
    if (at < from) continue;
    const found = places.get(text.slice(at, at + stride));
    if (found === undefined) continue;
    const run = longest(found.map((place) => runAround(text, { at, from, place })));
    if (run.end - run.start < partLengthMin || !isDrawn(text.slice(run.start, run.end))) continue;
    kept.push(text.slice(from, run.start), "***");
    from = run.end;
  }
  return kept.length === 0 ? text : kept.join("") + text.slice(from);
}

type Run = { readonly start: number; readonly end: number };

/** How far the text goes on as the form does, to both sides of what is known to be alike. */
function runAround(
  text: string,
  { at, from, place }: { readonly at: number; readonly from: number; readonly place: Place },
): Run {
  const { form } = place;
  let [start, first] = [at, place.at];
  while (start > from && first > 0 && text[start - 1] === form[first - 1]) {
    start--;
    first--;
  }
  let [end, next] = [at + stride, place.at + stride];
  while (end < text.length && next < form.length && text[end] === form[next]) {
    end++;
    next++;
  }
  return { start, end };
}

function longest(runs: readonly Run[]): Run {
  return runs.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
}

function placesIn(forms: readonly string[]): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const form of new Set(forms))
    for (let at = 0; at + stride <= form.length; at++) {
      const block = form.slice(at, at + stride);
      const known = places.get(block) ?? [];
      if (known.length < placesMax) places.set(block, [...known, { form, at }]);
    }
  return places;
}

/** The parts of a secret that nobody else could write; a token's header and claims are only encoded. */
function hiddenIn(secret: string): readonly string[] {
  const open = Array.from(secret.matchAll(/eyJ[A-Za-z0-9_-]{8,}/g), ([part]) => part).filter(isEncodedObject);
  const rest = open.reduce((text, part) => text.replace(part, "\n"), secret);
  return rest.split("\n").filter((part) => part.length >= partLengthMin && isDrawn(part));
}

function isEncodedObject(part: string): boolean {
  try {
    return typeof JSON.parse(Buffer.from(part, "base64url").toString("utf8")) === "object";
  } catch {
    return false;
  }
}

/** With what all keys of a kind begin: encoded, that alone is as long as a part. */
const openPrefix = /^(?:sk-ant-[a-z]+\d*-|github_pat_(?:\d\d)?|gh[a-z]_)/;

/** Base64 looks different by where in a group of three bytes a text begins. */
function formsOfPart(part: string): readonly string[] {
  const bytes = Buffer.from(part.replace(openPrefix, ""), "utf8");
  const hex = bytes.toString("hex");
  const shifted = [0, 1, 2].map((skip) => bytes.subarray(skip));
  return [
    part,
    Array.from(part).reverse().join(""),
    hex,
    hex.toUpperCase(),
    ...shifted.map((some) => some.toString("base64")),
    ...shifted.map((some) => some.toString("base64url")),
  ];
}

/** Not a word or a name, which have no digits and one case, and no pattern that repeats. */
function isDrawn(text: string): boolean {
  const isWord = !/\d/.test(text) && (!/[a-z]/.test(text) || !/[A-Z]/.test(text));
  return !isWord && new Set(text).size >= stride;
}
