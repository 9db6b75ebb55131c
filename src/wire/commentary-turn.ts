import { withoutColours } from "../base/colours.ts";
import { cutText, type Line } from "../base/lines.ts";
import type { Mask } from "../base/masking.ts";

/** Where a run is told line by line: the log of a job, or a terminal. It masks whatever it is given once more. */
export type Medium = {
  readonly say: (line: string) => void;
  /** Lines said until `dispose` belong together under the title. */
  readonly group: (title: string) => Disposable;
  /** Whether what was said still waits to be read, so that more of it had better not come. */
  readonly isBehind: () => boolean;
};

/** The group of the turn that is open. Its own lines are always said; of others' so many, and a count of the rest. */
export type TurnGroup = {
  readonly begin: (title: string) => void;
  /** Begins one under the title where none is open, and says whether it did. */
  readonly enter: (title: string) => boolean;
  readonly end: () => void;
  /** A line of ours, whatever is in it. */
  readonly say: (line: string) => void;
  /** A line of somebody else's that is passing; false where it is not said, for a bound or a medium that is behind. */
  readonly show: (margin: string, line: Line) => boolean;
  /**
   * Of lines that were not shown the last ones, as far as `tail` has them, after a count of the others. Said also to a
   * medium that is behind, within a bound of their own.
   */
  readonly showEnd: (
    margin: string,
    lines: { readonly unseen: number; readonly tail: readonly string[] },
  ) => void;
  readonly leftOut: (margin: string, count: number) => void;
  /** Of a line that comes in pieces so much has to be kept for `show`. */
  readonly keptCharactersMax: number;
};

const shownCharactersMax = 400;
/** Of a turn so many lines as they come, and so many that end a call. */
const turnLinesMax = 400;
const tailLinesMax = 20;
const runCharactersMax = 4 * 1024 * 1024;

/** A line is masked before it is cut, so it has to be kept longer than it is shown. */
const keptCharactersMax = 16 * 1024;
/** No secret is longer: of a line that was not kept whole, so much of the end may be half of one. */
const secretCharactersMax = 8 * 1024;

export function turnGroup({ say, group, isBehind }: Medium, mask: Mask): TurnGroup {
  let open: Disposable | null = null;
  let linesLeft = turnLinesMax;
  let lastLinesLeft = turnLinesMax;
  let charactersLeft = runCharactersMax;
  const end = (): void => {
    open?.[Symbol.dispose]();
    open = null;
  };
  const begin = (title: string): void => {
    end();
    open = group(title);
    linesLeft = turnLinesMax;
    lastLinesLeft = turnLinesMax;
  };
  const add = (margin: string, line: Line): void => {
    const text = `${margin}${shownOf(line, mask)}`.trimEnd();
    charactersLeft -= text.length;
    say(text);
  };
  const leftOut: TurnGroup["leftOut"] = (margin, count) => {
    if (count > 0)
      say(`${margin}[${count.toLocaleString("en")} ${count === 1 ? "line" : "lines"} left out here]`);
  };
  return {
    begin,
    enter: (title) => {
      if (open !== null) return false;
      begin(title);
      return true;
    },
    end,
    say: (line) => say(cutText(mask(line).replaceAll(/[\r\n]+/g, " ⏎ "), shownCharactersMax)),
    show: (margin, line) => {
      if (linesLeft <= 0 || charactersLeft <= 0 || isBehind()) return false;
      linesLeft -= 1;
      add(margin, line);
      return true;
    },
    showEnd: (margin, { unseen, tail }) => {
      const max = charactersLeft > 0 ? Math.min(unseen, tailLinesMax, lastLinesLeft) : 0;
      const last = tail.slice(Math.max(0, tail.length - max));
      lastLinesLeft -= last.length;
      leftOut(margin, unseen - last.length);
      for (const text of last) add(margin, { text, left: 0 });
    },
    leftOut,
    keptCharactersMax,
  };
}

/** Without colours, masked, then cut. */
function shownOf({ text, left }: Line, mask: Mask): string {
  const masked = mask(withoutColours(text));
  if (left === 0) return cutText(masked, shownCharactersMax);
  const sure = masked.slice(0, Math.max(0, masked.length - secretCharactersMax));
  return `${sure.slice(0, shownCharactersMax - 1)}…`;
}
