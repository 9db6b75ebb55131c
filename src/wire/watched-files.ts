import type { GroundTaken } from "../app/means.ts";
import type { SessionEvent } from "../session/event.ts";
import type { SessionFiles } from "../session/files.ts";

type Watch = (event: SessionEvent) => void;

/** The same files; `watch` is told of each event once its append returned. */
export function watched(files: SessionFiles, watch: Watch): SessionFiles {
  return {
    ...files,
    append: async (line, options) => {
      await files.append(line, options);
      // A resumed session arrives as many lines in one: that is no news.
      if (line.indexOf(10) === line.length - 1) {
        watch((JSON.parse(new TextDecoder().decode(line)) as { readonly event: SessionEvent }).event);
      }
    },
  };
}

/** The same place, with its files watched. */
export function watchedGround(taken: GroundTaken, watch: Watch): GroundTaken {
  if (taken.kind === "refused") return taken;
  const { ground } = taken;
  return { kind: "taken", ground: { ...ground, files: watched(ground.files, watch) } };
}
