/** Sequences begin with ESC, which a pattern cannot hold as it is. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, "g");

/** Text as programs mean it that send colours, and move about, as to a terminal. */
export function withoutColours(text: string): string {
  return text.replace(colours, "");
}
