/** A line that came in pieces, without its end. `left` is how many characters of it were not kept. */
export type Line = { readonly text: string; readonly left: number };

export type LineBuffer = {
  /** The lines that this piece completes. */
  readonly push: (piece: string) => readonly Line[];
  /** What has come of a line that has no end yet, or null. The next piece begins a new one. */
  readonly rest: () => Line | null;
};

/**
 * Puts lines together from pieces of any size, in bounded memory: of each line the first `charactersMax` characters are
 * kept. A line ends with a line feed, a carriage return or both, wherever the pieces are cut.
 */
export function lineBuffer(charactersMax: number): LineBuffer {
  let kept = "";
  let left = 0;
  let begun = false;
  let afterReturn = false;

  const add = (text: string): void => {
    begun = true;
    const more = text.slice(0, charactersMax - kept.length);
    kept += more;
    left += text.length - more.length;
  };
  const end = (): Line => {
    const line = { text: kept, left };
    kept = "";
    left = 0;
    begun = false;
    return line;
  };

  return {
    push: (piece) => {
      if (piece === "") return [];
      const text = afterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
      afterReturn = piece.endsWith("\r");
      const parts = text.split(/\r\n|\r|\n/);
      const lines: Line[] = [];
      for (const [at, part] of parts.entries()) {
        if (part !== "") add(part);
        if (at < parts.length - 1) lines.push(end());
      }
      return lines;
    },
    rest: () => (begun ? end() : null),
  };
}

/** At most so many characters; the last of them says where something was left out. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  // Half of a surrogate pair is no text.
  return `${text.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
