import { promises as fs } from "node:fs";
import path from "node:path";
import { readBytes } from "./confine.ts";
import { fileKind } from "./file-kind.ts";
import { type Hit, type Lines, startMatcher } from "./matcher.ts";
import type { ToolContext } from "./tool.ts";

/** One file with matches; its lines are kept only where some of them are shown. */
export type ScannedFile = {
  readonly path: string;
  readonly lines: readonly string[];
  readonly hits: readonly Hit[];
};

export type Scan = {
  readonly kind: "scan";
  readonly files: readonly ScannedFile[];
  /** How many lines match in all files, shown or not, and in how many files. */
  readonly hitCount: number;
  readonly fileCount: number;
  readonly searched: number;
  readonly binary: number;
  readonly large: number;
  readonly unreadable: number;
};

export type Stopped = { readonly kind: "stopped"; readonly why: string };

const scanLimits = {
  fileBytesMax: 4 * 1024 * 1024,
  /** Of the files with lines to show; beyond it matches are only counted. */
  keptBytesMax: 64 * 1024 * 1024,
  fileMsMax: 2_000,
  allMsMax: 60_000,
} as const;

/** Searches the files in their order and stops with a reason where the expression takes too long. */
export async function scan(
  files: readonly string[],
  { pattern, flags, limit }: { readonly pattern: string; readonly flags: string; readonly limit: number },
  context: ToolContext,
): Promise<Scan | Stopped> {
  const top = await fs.realpath(context.root);
  const msMax = scanLimits.fileMsMax;
  await using matcher = startMatcher({ pattern, flags }, { msMax, signal: context.signal });
  const deadline = performance.now() + scanLimits.allMsMax;
  const tally = createTally(limit);
  for (const name of files) {
    if (performance.now() > deadline) return tooLong(pattern, "the whole search", scanLimits.allMsMax);
    const file = await textOf(top, name);
    if (typeof file === "string") {
      tally.skip(file);
      continue;
    }
    const answer = await matcher.lines(file.text, tally.left());
    if (answer.kind === "timeout") return tooLong(pattern, name, msMax);
    if (answer.kind !== "lines") return failure(pattern, name, answer.why);
    tally.take(name, file.text, answer);
  }
  return tally.scan();
}

type Skipped = "binary" | "large" | "unreadable";

function createTally(limit: number) {
  const files: ScannedFile[] = [];
  const counts = { hitCount: 0, fileCount: 0, searched: 0, binary: 0, large: 0, unreadable: 0 };
  let left = limit;
  let keptBytes = 0;
  const take = (path: string, text: string, { hits, count }: Lines): void => {
    counts.searched += 1;
    counts.fileCount += count > 0 ? 1 : 0;
    counts.hitCount += count;
    if (hits.length === 0) return;
    files.push({ path, lines: text.split(/\r?\n/), hits });
    keptBytes += Buffer.byteLength(text);
    left = keptBytes > scanLimits.keptBytesMax ? 0 : left - hits.length;
  };
  const skip = (why: Skipped): void => {
    counts[why] += 1;
  };
  return { take, skip, left: () => left, scan: (): Scan => ({ kind: "scan", files, ...counts }) };
}

async function textOf(top: string, name: string): Promise<{ text: string } | Skipped> {
  const place = { kind: "place", path: name, real: path.join(top, name), type: "file" } as const;
  // A file that went away or may not be read in the meantime is counted, not a reason to give up on the others.
  const file = await readBytes(place, scanLimits.fileBytesMax).catch(() => null);
  if (file === null || file.kind === "refused") return "unreadable";
  if (file.kind === "large") return "large";
  if (fileKind(file.bytes).kind === "binary") return "binary";
  return { text: new TextDecoder("utf-8").decode(file.bytes) };
}

function tooLong(pattern: string, what: string, ms: number): Stopped {
  const why =
    `/${pattern}/ was stopped: ${what} took longer than ${ms / 1000} s. ` +
    "Avoid repetitions inside repetitions, such as (a+)+, or search a smaller path.";
  return { kind: "stopped", why };
}

function failure(pattern: string, name: string, why: string): Stopped {
  return { kind: "stopped", why: `/${pattern}/ failed on ${name}: ${why}.` };
}
