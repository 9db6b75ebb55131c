import type { Check } from "../../src/gate/checks.ts";
import type { ChangedFile, Suspicion } from "../../src/gate/suspicion.ts";
import { tamper } from "../../src/gate/tamper/tamper.ts";
import { weakenedTests } from "../../src/gate/tamper/weakened-tests.ts";

/** A file as `[before, after]`; null where there is none. */
export type Sides = readonly [string | null, string | null];

/** The sides have to differ: of what is no change nothing is ever found. */
export function changedFile(path: string, [before, after]: Sides): ChangedFile {
  if (before === after) throw new Error(`the test changes nothing in ${path}`);
  const status = before === null ? "added" : after === null ? "deleted" : "modified";
  const mode = after === null ? null : "100644";
  const change = { path, status, mode, blob: null, addedLines: null, deletedLines: null } as const;
  return { change, before, after };
}

export function changedFiles(files: Readonly<Record<string, Sides>>): readonly ChangedFile[] {
  return Object.entries(files).map(([path, sides]) => changedFile(path, sides));
}

export function weakened(files: Readonly<Record<string, Sides>>): readonly Suspicion[] {
  return weakenedTests(changedFiles(files), () => false);
}

/** `from` has to stand in the text. */
export function edit(text: string, from: string, to: string): Sides {
  if (!text.includes(from)) throw new Error(`the test needs ${from}`);
  return [text, text.replace(from, to)];
}

/** As `edit`, in all places. */
export function editAll(text: string, from: RegExp, to: string): Sides {
  return [text, text.replace(from, to)];
}

export function checkOf(run: string, dir = ""): Check {
  return { name: run, run, minutes: 10, proof: false, dir, network: false };
}

/** The kinds of what is found in a change, where `run` is the check. */
export async function kindsFound(
  changes: Readonly<Record<string, Sides>>,
  run = "npm test",
): Promise<readonly string[]> {
  const side = (at: 0 | 1) => Object.entries(changes).map(([path, sides]) => [path, sides[at]] as const);
  const base = side(0).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]));
  const all = await tampered(Object.fromEntries(base), Object.fromEntries(side(1)), [checkOf(run)]);
  return all.map(({ kind }) => kind);
}

/** What is found where `base` becomes what it is with `changes`, in which null deletes a file. */
export function tampered(
  base: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
  checks: readonly Check[],
): Promise<readonly Suspicion[]> {
  const files = Object.entries(changes).map(([path, after]) =>
    changedFile(path, [base[path] ?? null, after]),
  );
  const bytes = (text: string | null | undefined) =>
    text === null || text === undefined ? null : new TextEncoder().encode(text);
  const contents = {
    before: async (path: string) => bytes(base[path]),
    after: async (path: string) => bytes(changes[path]),
  };
  return tamper(
    files.map(({ change }) => change),
    { checks, contents },
  );
}
