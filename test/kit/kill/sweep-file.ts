// What a sweep has found so far, in a directory of its own, so that an interrupted one goes on where it was.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Result } from "./attempt.ts";
import type { Reference } from "./reference.ts";

const root = resolve(import.meta.dirname, "../../..");

export type SweepFile = {
  readonly dir: string;
  /** A copy of the action: a build that is made meanwhile changes nothing. */
  readonly actionDir: string;
  readonly results: readonly Result[];
  readonly add: (result: Result) => void;
  /** Null before there is one. */
  readonly reference: Reference | null;
  readonly keepReference: (reference: Reference) => void;
};

/** The directory's name is a digest of the action and of the sweep itself: results of another one do not count. */
export function openSweepFile({
  fresh,
  dir: given,
}: {
  readonly fresh: boolean;
  readonly dir: string | null;
}): SweepFile {
  const dir = given ?? join(tmpdir(), `baton-kill-${digestOfAll()}`);
  if (fresh) rmSync(dir, { recursive: true, force: true });
  const actionDir = join(dir, "action");
  if (!existsSync(actionDir)) {
    mkdirSync(actionDir, { recursive: true });
    for (const part of ["action.yml", "dist"])
      cpSync(join(root, part), join(actionDir, part), { recursive: true });
  }
  const [resultsFile, referenceFile] = [join(dir, "results.jsonl"), join(dir, "reference.json")];
  const results = existsSync(resultsFile) ? readResults(readFileSync(resultsFile, "utf8")) : [];
  return {
    dir,
    actionDir,
    results,
    add: (result) => appendFileSync(resultsFile, `${JSON.stringify(result)}\n`),
    reference: existsSync(referenceFile)
      ? (JSON.parse(readFileSync(referenceFile, "utf8")) as Reference)
      : null,
    keepReference: (reference) => writeFileSync(referenceFile, JSON.stringify(reference)),
  };
}

/** The sweep may have been killed in the middle of a line, too. */
function readResults(text: string): readonly Result[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Result);
}

function digestOfAll(): string {
  const hash = createHash("sha256");
  const folders = ["dist/main", "dist/post", "dist/toolhost", "test/kit/kill"];
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder)).sort())
      hash.update(name).update(readFileSync(join(root, folder, name)));
  }
  return hash.digest("hex").slice(0, 12);
}
