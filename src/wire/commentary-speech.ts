import { type Line, lineBuffer } from "../base/lines.ts";
import type { Live } from "../loop/live.ts";
import type { TurnGroup } from "./commentary-turn.ts";

/** What stands before each line of the model's, so that none of it can be taken for a line of ours. */
const margin = "> ";

/** What one reply says while it comes: its text line by line, that it thinks, and which calls it asks for. */
export type Speech = {
  readonly hear: (live: Extract<Live, { kind: "text.delta" | "thinking.delta" | "call.delta" }>) => void;
  /** Something else comes: what there is of a line is one. */
  readonly pause: () => void;
  /** Says how much of it was left out. */
  readonly end: () => void;
};

export function openSpeech(turn: TurnGroup): Speech {
  const text = lineBuffer(turn.keptCharactersMax);
  let left = 0;
  let thinks = false;

  const speak = (line: Line): void => {
    // Once something is left out everything after it is, so that one count stands at the end.
    if (left > 0 || !turn.show(margin, line)) left += 1;
  };
  const pause = (): void => {
    const rest = text.rest();
    if (rest !== null) speak(rest);
  };

  return {
    hear: (live) => {
      if (live.kind !== "text.delta") pause();
      switch (live.kind) {
        case "text.delta":
          for (const line of text.push(live.text)) speak(line);
          return;
        case "thinking.delta":
          if (!thinks) turn.show("  ", { text: "(thinks)", left: 0 });
          thinks = true;
          return;
        case "call.delta":
          if (live.json === "") turn.show("  ", { text: `(asks for ${live.tool})`, left: 0 });
          return;
      }
    },
    pause,
    end: () => {
      pause();
      turn.leftOut(margin, left);
      left = 0;
    },
  };
}
