// What a person reads while the demo runs: when, in which act, what happened, and what that proves.

export type Timeline = {
  readonly act: (title: string) => void;
  readonly happened: (text: string) => void;
  /** Indented further: what a machine or the model said. */
  readonly detail: (text: string) => void;
  readonly proved: (holds: boolean, text: string) => void;
  readonly plain: (text: string) => void;
  readonly seconds: () => number;
};

const widthMax = 150;

export function openTimeline(write: (text: string) => void): Timeline {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const stamp = () => `${seconds().toFixed(1).padStart(6)} s  `;
  return {
    seconds,
    act: (title) => write(`\n${title}\n`),
    happened: (text) => write(`${stamp()}${clipped(text)}\n`),
    detail: (text) => write(`${stamp()}    ${clipped(text)}\n`),
    proved: (holds, text) => write(`${stamp()}${holds ? "proved:  " : "NOT SO:  "}${text}\n`),
    plain: (text) => write(`${text}\n`),
  };
}

/** One line of its own, whatever was in it. */
function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > widthMax ? `${line.slice(0, widthMax - 1)}…` : line;
}
