import { withoutColours } from "../base/colours.ts";
import { type Runner, runners, type Tally } from "./runners.ts";

/**
 * What a test runner says of itself in a check's output. The output is written by what is judged, so these numbers can
 * make a verdict worse and be shown, and never make a red exit code pass.
 */
export type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
  /** What was counted: `go test` without `-v` names packages only. */
  readonly unit: "tests" | "packages";
  /** The output was cut, so there may have been more. */
  readonly isPartial: boolean;
};

/** Null where no known runner has said anything. Several runners, or several runs of one, are added up. */
export function countsIn(output: string): Counts | null {
  const lines = linesOf(output);
  const read = runners.map((runner) => ({ runner, tallies: talliesOf(runner, lines) }));
  const heard = read.filter(({ tallies }) => tallies.length > 0);
  const isHeard = (name: string) => heard.some(({ runner }) => runner.name === name);
  const exact = heard.filter(
    ({ runner: { unless, of } }) => !(unless && isHeard(unless)) && (of === undefined || isHeard(of)),
  );
  const [first] = exact;
  if (first === undefined) return null;
  const tallies = exact.flatMap((one) => one.tallies);
  const sumOf = (key: keyof Tally) => {
    const sum = tallies.reduce((total, tally) => total + (tally[key] ?? 0), 0);
    return Math.max(0, sum);
  };
  const [passed, failed, skipped] = [sumOf("passed"), sumOf("failed"), sumOf("skipped")];
  const unit = exact.some(({ runner }) => runner.unit === "tests") ? "tests" : "packages";
  const isPartial = isCut(output);
  return { passed, failed, skipped, total: passed + failed + skipped, unit, isPartial };
}

/** How many were really run: one that is skipped proves nothing. */
export function ranOf(counts: Counts): number {
  return counts.passed + counts.failed;
}

/** Why a check that was red before is red for more reasons now, as a sentence without its full stop; null where that is not known. */
export function moreFailures(before: Counts | null, now: Counts | null): string | null {
  if (before === null || ranOf(before) === 0) return null;
  const was = `its runner reported ${before.failed} of ${ranOf(before)} ${before.unit} failed without the change`;
  if (now === null || ranOf(now) === 0) return `${was} and does not come to an end with it`;
  if (before.isPartial || now.isPartial || before.unit !== now.unit) return null;
  return now.failed > before.failed ? `${was} and ${now.failed} of ${ranOf(now)} with it` : null;
}

/** What stands in place of the middle of a long output. */
const cutLine = /^\[cut here: [\d,]+ bytes?, /;
/** Programs that run several packages put the name of one before each line. */
const prefix = /^[@\w./-]+(?::[\w:-]+)?(?: [\w:-]+)?(?::| \|) /;

/** Whether a part of the output is missing. */
export function isCut(output: string): boolean {
  return linesOf(output).some((line) => cutLine.test(line));
}

/** The lines that a runner may have written, without colours. */
export function linesOf(output: string): readonly string[] {
  return (
    withoutColours(output)
      .split(/\r\n|\n|\r/)
      // A line that is longer is no runner's, and none is to be slow to read.
      .filter((line) => line.length <= 1000)
      .map((line) => line.trimEnd())
  );
}

function talliesOf(runner: Runner, lines: readonly string[]): readonly Tally[] {
  return lines.flatMap((line) => {
    const tally = runner.read(line) ?? runner.read(line.replace(prefix, ""));
    return tally === null ? [] : [tally];
  });
}

/** Lines by which a runner or a compiler says that a file of tests could not be run at all. */
const cannotRun: readonly RegExp[] = [
  /\bERR_MODULE_NOT_FOUND\b|\bCannot find (?:module|package)\b|\bdoes not provide an export named\b/,
  /\bFailed to (?:load|resolve|parse)\b|^\s*● Test suite failed to run|\bTransform failed\b/,
  /\b(?:ModuleNotFoundError|ImportError|IndentationError)\b|^ERROR collecting |^_+ ERROR collecting /,
  /\[(?:build|setup) failed\]|\berror\[E\d+\]|^error: could not compile\b|\bcannot find symbol\b|\berror (?:TS|CS)\d+\b/,
  /\bLoadError\b|\bPHP (?:Parse|Fatal) error\b|\bCompilation failed\b|\bBUILD FAILURE\b.*\bcompil/i,
];

/** How many lines say so. */
export function cannotRunIn(output: string): number {
  return linesOf(output).filter((line) => cannotRun.some((pattern) => pattern.test(line))).length;
}

/** What says it of a file, and is as well what a test of a parser may fail by; and how node's runner names the file. */
const mayNotRun = /\bSyntaxError\b/;
const failedFile = /^\s*(?:[\u2716\u2717✖] |not ok \d+ -? ?)\S*\.[cm]?[jt]sx?(?: \(|$)/;

/** Lines that say it only where fewer tests have run than would have; a file that failed as a whole says it always. */
export function mayNotRunIn(output: string): { readonly lines: number; readonly files: number } {
  const lines = linesOf(output);
  const countOf = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return { lines: countOf(mayNotRun), files: countOf(failedFile) };
}
