import * as core from "@actions/core";
import { strictMask } from "../../base/disguises.ts";
import type { Mask } from "../../base/masking.ts";
import { harmless } from "./harmless.ts";

/** The job's log and its annotations. Any text may be given: it is masked, and no line of it can be a command. */
export type JobLog = {
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly error: (text: string) => void;
  /** Lines said until `dispose` fold under the title. Groups do not nest. */
  readonly group: (title: string) => Disposable;
  /** Whether the runner has a lot of it still to read: what may be left out had better be. */
  readonly isBehind: () => boolean;
};

/** Longer texts are cut: the log is for people, and the runner keeps only the first 4096 bytes of an annotation. */
const sayCharactersMax = 64 * 1024;
const annotationCharactersMax = 4000;
/** A pipe holds 64 KiB; what is over that waits in our memory. */
const behindBytes = 256 * 1024;

export function jobLog(mask: Mask): JobLog {
  const strict = strictMask(mask);
  // Masked first: making a text harmless may split a secret that is then no longer found.
  const clean = (text: string, charactersMax: number): string => {
    const masked = strict(text);
    return harmless(masked.length > charactersMax ? `${masked.slice(0, charactersMax)}…` : masked);
  };
  return {
    say: (text) => core.info(clean(text, sayCharactersMax)),
    warn: (text) => core.warning(clean(text, annotationCharactersMax)),
    error: (text) => core.error(clean(text, annotationCharactersMax)),
    group: (title) => {
      core.startGroup(clean(title.split("\n")[0] ?? "", 200));
      return { [Symbol.dispose]: () => core.endGroup() };
    },
    isBehind: () => process.stdout.writableLength > behindBytes,
  };
}
