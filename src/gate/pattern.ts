/**
 * Whether a path pattern of the configuration matches: `*` and `?` within one name, `**` over any number of
 * directories. As in an ignore file, a pattern without a slash matches the name anywhere, and one that names a
 * directory matches what is below it.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const trimmed = pattern.replace(/^\.?\/+|\/+$/g, "");
  if (trimmed === "") return false;
  const isAnywhere = !trimmed.includes("/") && !/^\.?\//.test(pattern);
  const parts = isAnywhere ? ["**", trimmed] : trimmed.split("/");
  return matchesParts([...parts, "**"], path.split("/"));
}

/** Row by row over the pattern, so that many `**` cost no more than their number times the depth of the path. */
function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  // reached[i]: the pattern so far can match the first i names.
  let reached = [true, ...names.map(() => false)];
  for (const part of parts) {
    if (part === "**") {
      const first = reached.indexOf(true);
      reached = reached.map((_, index) => first !== -1 && index >= first);
    } else {
      reached = [false, ...names.map((name, index) => reached[index] === true && matchesText(part, name))];
    }
  }
  return reached.at(-1) === true;
}

/** The same, letter by letter. */
function matchesText(part: string, name: string): boolean {
  const letters = Array.from(name);
  let reached = [true, ...letters.map(() => false)];
  for (const sign of part) {
    if (sign === "*") {
      const first = reached.indexOf(true);
      reached = reached.map((_, index) => first !== -1 && index >= first);
    } else {
      reached = [
        false,
        ...letters.map((letter, index) => reached[index] === true && (sign === "?" || sign === letter)),
      ];
    }
  }
  return reached.at(-1) === true;
}
