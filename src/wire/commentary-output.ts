import { type Line, lineBuffer } from "../base/lines.ts";
import { cutIn } from "../tools/head-tail.ts";
import type { TurnGroup } from "./commentary-turn.ts";

/** What stands before each line that a call printed, so that none of it can be taken for a line of ours. */
const margin = "  | ";
/**
 * Whether what calls print is told, or only how much it is. A log that many can read is no place for what a file or a
 * program of a private machine says.
 */
export type Outputs = "shown" | "counted";

/** Shown as they come. */
const headLinesMax = 40;

export type CallOutput = {
  /** The next piece, whatever its size: its first lines are shown as they come. */
  readonly push: (piece: string) => void;
  /**
   * Shows the last lines of the output and says how many were left out before them. `output` is what the model is told,
   * null where it is told nothing: it counts the whole of it, of which only a part comes in pieces.
   */
  readonly end: (output: string | null) => void;
};

/** Shows what a call prints: its beginning as it comes, its end when it is over, an exact count of what is between. */
export function callOutput(id: string, turn: TurnGroup, outputs: Outputs): CallOutput {
  const coming = lineBuffer(turn.keptCharactersMax);
  let came = 0;
  let shown = 0;
  let isOpen = outputs === "shown";

  const take = (line: Line): void => {
    came += 1;
    isOpen = isOpen && shown < headLinesMax && turn.show(margin, line);
    if (isOpen) shown += 1;
  };

  return {
    push: (piece) => {
      for (const line of coming.push(piece)) take(line);
    },
    end: (output) => {
      const rest = coming.rest();
      if (rest !== null) take(rest);
      const { total, tail } = output === null ? { total: came, tail: [] } : wholeOf(output, id);
      const unseen = Math.max(total, came) - shown;
      if (outputs === "shown") turn.showEnd(margin, { unseen, tail });
      else turn.leftOut(margin, unseen);
    },
  };
}

/** How many lines an output had before it was cut for the model, and those that stand after the cut. */
function wholeOf(output: string, id: string): { readonly total: number; readonly tail: readonly string[] } {
  const texts = output.replace(lineEnd, "").split(/\r\n|\r|\n/);
  const cuts = texts.map((text) => cutIn(text, `output:${id}`));
  const at = cuts.findLastIndex((cut) => cut !== null);
  const hidden = cuts[at]?.lines ?? 0;
  return at < 0
    ? { total: texts.length, tail: texts }
    : { total: texts.length - 1 + hidden, tail: texts.slice(at + 1) };
}

const lineEnd = /(?:\r\n|\r|\n)$/;
