import { withoutSecrets } from "../gate/secret-rules.ts";

/** Columns of a line, so that nothing stands where a reader would have to scroll for it. */
const columnsMax = 110;
const goesOn = "\u2937 ";

/**
 * JSON text for a person to judge, shown in code, without what looks like a credential: every character that has no shape of its own is written as its
 * escape, nothing in it can be taken for a comment of Markdown, and long lines are broken. A line that goes on begins
 * with `goesOn`, which stands for nothing.
 */
export function exactJson(text: string): string {
  const clean = (_: string, value: unknown) => (typeof value === "string" ? withoutSecrets(value) : value);
  const pretty = JSON.stringify(JSON.parse(text), clean, 2);
  return withoutSecrets(pretty).split("\n").map(readable).join("\n");
}

/** What has no shape, hides itself, turns the line around, or is what we mark a broken line with. */
const shapeless = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2937]/gu;

/** The same of a text that is no JSON, such as a patch: its lines are as they are, and tabs stay. */
export function exactText(text: string): string {
  const lines = withoutSecrets(text).split("\n");
  return lines
    .map((line) => line.split("\t").map(escapedIn).join("\t"))
    .map(broken)
    .join("\n");
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
