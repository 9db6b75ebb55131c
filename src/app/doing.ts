import type { Doing, Live } from "../loop/live.ts";

/**
 * What a run is doing, for its comment, or null where a notification is no news. In our own words only: no command, no
 * path and nothing that the model said ever gets there while it may still be wrong, or a secret.
 */
export function doingOf(live: Live, turn: number): string | null {
  switch (live.kind) {
    case "progress": {
      const doing = wordsFor(live.doing);
      return doing === null ? null : `working: turn ${live.turn}, ${doing}`;
    }
    case "retry.wait":
      return `working: turn ${turn}, waiting before the model is asked again`;
    case "text.delta":
    case "thinking.delta":
    case "call.delta":
    case "output.delta":
      return null;
  }
}

function wordsFor(doing: Doing): string | null {
  switch (doing.kind) {
    case "asking":
      return doing.attempt === 1 ? "asking the model" : "asking the model again";
    case "summarising":
      return "summarising the conversation so far";
    case "calling":
      return Object.hasOwn(words, doing.tool) ? (words[doing.tool] ?? other) : other;
    case "called":
      return null;
  }
}

const other = "using a tool";
const words: Readonly<Record<string, string>> = {
  read: "reading",
  glob: "reading",
  search: "searching",
  edit: "changing files",
  write: "changing files",
  shell: "running a command",
  plan: "planning",
};
