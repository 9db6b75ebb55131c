/**
 * Reads what a step wrote to `GITHUB_OUTPUT`, `GITHUB_ENV` or `GITHUB_STATE`, as the runner does
 * (actions/runner, FileCommandManager.cs): `name=value` lines and `name<<delimiter` blocks. Whichever of
 * `=` and `<<` comes first decides. Throws the runner's words for a line it does not accept.
 */
export function parseFileCommand(text: string): readonly (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  const lines = text.split("\n");
  // What follows the last newline is a line only if it holds something.
  if (lines.at(-1) === "") lines.pop();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (line === "") continue;
    const equals = line.indexOf("=");
    const arrows = line.indexOf("<<");
    if (equals >= 0 && (arrows < 0 || equals < arrows)) {
      if (equals === 0) throw new Error(`Invalid format '${line}'. Name must not be empty`);
      pairs.push([line.slice(0, equals), line.slice(equals + 1)]);
    } else if (arrows >= 0) {
      const delimiter = line.slice(arrows + 2);
      if (arrows === 0 || delimiter === "") {
        throw new Error(`Invalid format '${line}'. Name must not be empty and delimiter must not be empty`);
      }
      const end = lines.indexOf(delimiter, i + 1);
      if (end < 0) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
      pairs.push([line.slice(0, arrows), lines.slice(i + 1, end).join("\n")]);
      i = end;
    } else {
      throw new Error(`Invalid format '${line}'`);
    }
  }
  return pairs;
}
