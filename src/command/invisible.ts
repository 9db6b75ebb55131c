/**
 * Removes characters that have no shape: they can spell an order that only a machine reads, or reorder what a person
 * sees. Kept where real writing needs them: selectors and joiners inside emoji, the three flags made of tags, joiners
 * between letters of scripts that are shaped by them, and direction marks in lines with right-to-left letters.
 */
export function removeInvisible(text: string): { readonly text: string; readonly removed: number } {
  if (!suspect.test(text)) return { text, removed: 0 };
  let removed = 0;
  const lines = text.split("\n").map((line) => {
    if (!suspect.test(line)) return line;
    const points = Array.from(line);
    const kept = keptOf(points);
    removed += points.length - kept.length;
    return kept.join("");
  });
  return { text: lines.join("\n"), removed };
}

const suspect = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\ufff9-\ufffb]/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const joining =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** The flags of England, Scotland and Wales, which Unicode spells with invisible tag letters. */
const tagFlags = ["gbeng", "gbsct", "gbwls"].map((name) =>
  [...Array.from(name, (letter) => 0xe0000 + (letter.codePointAt(0) ?? 0)), 0xe007f]
    .map((code) => String.fromCodePoint(code))
    .join(""),
);

function keptOf(points: readonly string[]): readonly string[] {
  const letters = points.filter((point) => rightToLeft.test(point)).length;
  // More marks than letters are not there to order the letters.
  const marksMatter = points.filter((point) => directionMark.test(point)).length <= letters;
  const kept: string[] = [];
  for (let at = 0; at < points.length; at++) {
    const point = points[at] ?? "";
    const flag = point === "\u{1f3f4}" ? flagAt(points, at) : null;
    if (flag !== null) {
      kept.push(...flag);
      at += flag.length - 1;
    } else if (!suspect.test(point) || isNeeded(points, at, marksMatter)) kept.push(point);
  }
  return kept;
}

const directionMark = /[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/u;

function flagAt(points: readonly string[], at: number): readonly string[] | null {
  const after = points.slice(at, at + 7);
  return tagFlags.includes(after.slice(1).join("")) ? after : null;
}

function isNeeded(points: readonly string[], at: number, marksMatter: boolean): boolean {
  const point = points[at] ?? "";
  const before = points[at - 1] ?? "";
  const after = points[at + 1] ?? "";
  if (point === "\t" || point === "\r") return true;
  if (point === "\ufe0e" || point === "\ufe0f") return isEmojiBase(before, after);
  if (point === "\u200d" && /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before)) {
    return /^\p{Extended_Pictographic}$/u.test(after);
  }
  if (point === "\u200c" || point === "\u200d") return joining.test(before) && joining.test(after);
  return directionMark.test(point) && marksMatter;
}

function isEmojiBase(before: string, after: string): boolean {
  if (/^[0-9#*]$/.test(before)) return after === "\u20e3";
  return /^\p{Emoji}$/u.test(before);
}
