import type { Change } from "../workspace/workspace.ts";

/** What in a change could make a check pass that should not. */
export type SuspicionKind =
  /** A script, a recipe or a file that a check runs. */
  | "check-script"
  /** What configures a test runner, a linter, a compiler, an installer or a runtime. */
  | "configuration"
  | "threshold-lowered"
  | "ci"
  | "dependencies"
  | "test-removed"
  | "test-skipped"
  | "test-focused"
  | "assertions-removed"
  | "expectation-changed"
  | "failure-swallowed"
  /** An assertion that stands as it was, in a block or a function of its own. */
  | "may-not-run"
  /** Tests that look at something else than the repository's code. */
  | "mock-added"
  | "snapshot-rewritten"
  | "test-data-changed"
  | "early-exit"
  | "suppression"
  /** Something that takes the place of the runner, or changes it while it runs. */
  | "stand-in"
  /** Code that can tell that it is being tested. */
  | "knows-test"
  | "prints-counts"
  /** Nobody has looked through it. */
  | "not-read";

/** `why` is a sentence without its full stop. It may quote what was changed, so it is not trusted. */
export type Suspicion = {
  readonly path: string;
  readonly kind: SuspicionKind;
  readonly why: string;
  /** What of the changed file it is about, as it stands there but for white space; left out where that is no one text. */
  readonly at?: string;
};

/** A changed path with its text; null where there is no file, or none that can be read as text. */
export type ChangedFile = {
  readonly change: Change;
  readonly before: string | null;
  readonly after: string | null;
};

/** How much is quoted of what was changed. */
const quotedMax = 70;

export function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > quotedMax ? `${line.slice(0, quotedMax - 1)}…` : line;
}
