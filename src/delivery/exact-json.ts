import { takeOut } from "../gate/secrets/secret-rules.ts";

/** Columns of a line, so that nothing stands where a reader would have to scroll for it. */
const columnsMax = 110;
const goesOn = "\u2937 ";

/** What is shown to a person who has to judge it, and in how many places something that looks like a credential is not. */
export type Exact = { readonly text: string; readonly takenOut: number };

/**
 * JSON text for a person to judge, shown in code, without what looks like a credential: every character that has no
 * shape of its own is written as its escape, nothing in it can be taken for a comment of Markdown, and long lines are
 * broken. A line that goes on begins with `goesOn`, which stands for nothing.
 */
export function exactJson(text: string): Exact {
  let takenOut = 0;
  const clean = (part: string): string => {
    const left = takeOut(part);
    takenOut += left.places;
    return left.text;
  };
  const pretty = JSON.stringify(
    JSON.parse(text),
    (_, value: unknown) => (typeof value === "string" ? clean(value) : value),
    2,
  );
  // As it is shown it may look like one by what stands beside it.
  const shown = clean(clean(pretty).split("\n").map(readable).join("\n"));
  return { text: shown, takenOut };
}

/** For whoever allows what is shown: that it is not whole, and in which parts, by names. Empty where nothing was taken out. */
export function takenOutNote(takenOut: number, parts: readonly string[] = []): string {
  if (takenOut === 0) return "";
  const where = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  const count = takenOut === 1 ? "1 place" : `${takenOut} places`;
  return `Not all of it is shown: what looks like a credential was taken out in ${count}${where}, and who allows it allows that unseen.`;
}

/** What has no shape, hides itself, turns the line around, or is what we mark a broken line with. */
const shapeless = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2937]/gu;

/** The same of a text that is no JSON, such as a patch: its lines are as they are, and tabs stay. */
export function exactText(text: string): Exact {
  const clean = takeOut(text);
  const lines = clean.text
    .split("\n")
    .map((line) => line.split("\t").map(escapedIn).join("\t"))
    .map(broken);
  const shown = takeOut(lines.join("\n"));
  return { text: shown.text, takenOut: clean.places + shown.places };
}

function readable(line: string): string {
  return broken(escapedIn(line));
}

/** One line with every character that has no shape of its own as its escape. */
export function escapedIn(line: string): string {
  return line.replace(shapeless, escaped).replaceAll("<!--", "\\u003c!--");
}

/** Escapes stay whole, and in JSON a line of what is written or run ends where its own end is. */
function broken(line: string): string {
  const parts: string[] = [];
  let part = "";
  for (const [token] of line.matchAll(/\\u[0-9a-f]{4}|\\.|./gu)) {
    if (part.length + token.length > columnsMax) {
      parts.push(part);
      part = "";
    }
    part += token;
    if (token === "\\n") {
      parts.push(part);
      part = "";
    }
  }
  if (part !== "") parts.push(part);
  return parts.join(`\n${goesOn}`);
}

function escaped(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
