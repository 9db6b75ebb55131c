import { isObject } from "../../base/json.ts";

/** A package as a manifest or a lock file has it. */
export type Package = {
  readonly name: string;
  /** Version or range; `~` where none is given. */
  readonly version: string;
  /** Where it is fetched from, as the file says; "" where it says nothing. */
  readonly source: string;
  /** One for each file that there is of it, "" for none. */
  readonly checksums: readonly string[];
};

/** Null where the text is not what its name says. */
export type PackageReader = (text: string) => readonly Package[] | null;

export const noVersion = "~";

export function packageOf(
  name: string,
  version: unknown,
  { source, checksums = [] }: { readonly source?: unknown; readonly checksums?: readonly unknown[] } = {},
): Package {
  const given = wordsOf(version);
  return {
    name,
    version: given === "" ? noVersion : given,
    source: typeof source === "string" ? source : "",
    checksums: checksums.filter((one) => typeof one === "string"),
  };
}

/** A value of a manifest as a few words, such as `version 2, features derive`. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).join(" ");
  if (isObject(value))
    return Object.entries(value)
      .map(([key, one]) => `${key} ${wordsOf(one)}`)
      .join(", ");
  return value === undefined || value === null ? "" : String(value);
}

/** The objects of a list; none where it is no list. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Of a text of JSON or TOML, by its parser; null where it is neither, or no object. */
export function parsedBy(
  parse: (text: string) => unknown,
  text: string,
): Readonly<Record<string, unknown>> | null {
  try {
    const value = parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Without comments, blanks around them and empty ones. */
export function linesOf(text: string, comment: RegExp): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(comment, "").trim())
    .filter((line) => line !== "");
}
