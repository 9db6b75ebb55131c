/**
 * The same text with nothing in it that the runner could take for a command (R11). The runner reads `::name::` at the
 * start of a line, after white space, and `##[name]` anywhere in one (actions/runner, ActionCommand.cs). What counts
 * as white space or ends a line differs between its language and ours, so everything that is no visible ASCII counts.
 */
export function harmless(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").split("\n").map(harmlessLine).join("\n");
}

function harmlessLine(line: string): string {
  const visible = line
    .replaceAll(invisible, (character) => (character === "\t" ? character : "\ufffd"))
    .replaceAll("##[", "## [");
  return /^[^!-~]*::/.test(visible) ? `| ${visible}` : visible;
}

/** Control characters, terminal sequences and other line ends; not the tab. */
const invisible = /[\p{Cc}\u2028\u2029]/gu;
