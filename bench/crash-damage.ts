import { readFileSync, writeFileSync } from "node:fs";
import { git } from "../test/kit/repositories.ts";
import { at, commandOf, effectCommand, logIn, type Place } from "./crash-world.ts";

/** What may have happened to the remains of a run before it is resumed. */
export type State = "plain" | "torn" | "torncall" | "midcall" | "midresult" | "head";

const middle = at >> 1;

/** Each does it and says what, in words; nothing for `plain`. */
export const damages: Readonly<Record<State, (place: Place) => string>> = {
  plain: () => "",
  torn: (place) => cut(place, (lines) => lines.length - 1),
  torncall: (place) => cut(place, (lines) => lines.findIndex((line) => line.includes(effectCommand))),
  midcall: (place) =>
    overwrite(place, (lines) => lines.findIndex((line) => line.includes(commandOf(middle)))),
  midresult: (place) =>
    overwrite(place, (lines) => lines.findLastIndex((line) => line.includes(`value_${middle}_0`))),
  head: ({ repository }) => {
    git(repository, ["checkout", "--quiet", "other"]);
    return "another branch is checked out";
  },
};

type Which = (lines: readonly string[]) => number;

/** Half of a line is left, and nothing behind it. */
function cut(place: Place, which: Which): string {
  const { file, lines, index, line } = found(place, which);
  const whole = lines.slice(0, index).map((one) => `${one}\n`);
  writeFileSync(file, whole.join("") + line.slice(0, line.length >> 1));
  return `record ${index + 1} of ${lines.length} is cut in half, and the rest is gone`;
}

function overwrite(place: Place, which: Which): string {
  const { file, lines, index, line } = found(place, which);
  writeFileSync(file, `${lines.with(index, "#".repeat(line.length)).join("\n")}\n`);
  return `record ${index + 1} of ${lines.length} is overwritten`;
}

function found(place: Place, which: Which) {
  const file = logIn(place);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const index = which(lines);
  const line = lines[index];
  if (line === undefined) throw new Error(`${file} has no such record`);
  return { file, lines, index, line };
}
