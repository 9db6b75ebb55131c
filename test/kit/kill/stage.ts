// Where sessions are killed: one GitHub, one model and one journal for any number of cases, each on its own issue.
import { join } from "node:path";
import { type DemoJournal, openJournal } from "../../demo/journal.ts";
import { givenWorld, type World } from "../world.ts";
import { journalVariable, storyFiles, storyScript } from "./story.ts";

export type KillStage = AsyncDisposable & {
  readonly world: World;
  readonly journal: DemoJournal;
  /** Given to every job. */
  readonly env: Readonly<Record<string, string>>;
  readonly nodeFlags: readonly string[];
};

/** `actionDir` holds the action that is played, and `nodeFlags` is what node is told in every job. */
export async function openKillStage({
  actionDir,
  nodeFlags = [],
}: {
  readonly actionDir: string;
  readonly nodeFlags?: readonly string[];
}): Promise<KillStage> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(
    await givenWorld({
      files: storyFiles,
      script: storyScript(),
      inputs: { "ship-seconds": "0" },
      actionDir,
      // With little left a run does as little as it can in its own time, and dies at the same places each time.
      settings: { requestsLeft: 400 },
    }),
  );
  const dir = join(world.dir, "journal");
  const journal = stack.use(
    openJournal({ dir, file: join(world.dir, "journal.jsonl"), onLine: () => undefined }),
  );
  const owned = stack.move();
  const env = { [journalVariable]: journal.dir };
  return { world, journal, env, nodeFlags, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
