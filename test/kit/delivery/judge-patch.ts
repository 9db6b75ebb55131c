// What has to be there of a patch for a pull request of a fork.
import { unzip } from "../unzip.ts";
import { count, outcome, type Wrong } from "./judge.ts";
import type { Lived } from "./life.ts";
import type { Scene } from "./scene.ts";

const whole = ["a", "b"]
  .map(
    (name) =>
      `diff --git a/${name}.txt b/${name}.txt\n--- a/${name}.txt\n+++ b/${name}.txt\n-${name}\n+fixed\n`,
  )
  .join("");

/** What one run said of the patch, against what is stored. */
export async function judgeGiven({ github }: Scene, { end }: Lived): Promise<readonly Wrong[]> {
  if (end.kind !== "patch" || end.patch === null) return [];
  const { name, file } = end.patch;
  if (!github.artifacts.list().some((artifact) => artifact.name === name))
    return [{ kind: "missing", what: `${name}, which is said to be stored` }];
  const files = unzip(await github.artifacts.read(name));
  const isWhole = files.size === 1 && files.get(file)?.toString() === whole;
  return isWhole ? [] : [outcome(`${name} does not hold the work in ${file}`)];
}

/** Stored once; where a run said that it never will be, not at all. */
export function judgePatches({ github, stage }: Scene, lives: readonly Lived[]): readonly Wrong[] {
  const stored = github.artifacts
    .list()
    .filter(({ name }) => name.startsWith(`agent-patch-${stage.session}-`));
  const isRefused = lives.some(({ end }) => end.kind === "patch" && end.patch === null);
  const min = isRefused ? 0 : 1;
  return count(stored.length, { one: "stored patch", min, max: min });
}
