import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * What can break at the model's provider, at GitHub, in the artifact service, on the runner, in its processes and on its
 * disk.
 */
const rows: Readonly<Record<string, string>> = {
  F1: "a rate limit that says when to come back",
  F2: "a spend limit",
  F3: "a provider that is down or busy",
  F4: "a key, a right or a model that is refused",
  F5: "a conversation larger than the provider takes",
  F6: "a history that the provider would refuse",
  F7: "an error inside a stream",
  F8: "a stream cut off",
  F9: "a stream that just ends",
  F10: "an answer that does not begin",
  F11: "a stream that stands still",
  F13: "a call cut at the output limit",
  F14: "calls that may not run",
  F16: "an empty reply",
  F17: "a paused reply",
  F18: "a refusal",
  F19: "a reply cut by the window",
  F20: "events, blocks and reasons that nobody knows",
  F21: "an answer that is no stream",
  F22: "bytes split, and lines written, in any way",
  F23: "events out of order",
  F24: "thinking that must come back as it was",
  F25: "counts that are missing, and budgets crossed in a turn",
  F26: "a limit on how fast requests come",
  F27: "a limit on how many come in an hour",
  F28: "a look-up that fails",
  F29: "a branch that exists already",
  F31: "a pull request that exists already",
  F32: "settings that forbid pull requests",
  F33: "a permission that is missing",
  F34: "a rule of the repository",
  F35: "what was made and is not seen yet",
  F36: "a token that dies",
  F37: "what people moved, closed, locked or took away meanwhile",
  F38: "lists of many pages, and texts that are too long",
  F39: "answers that are none",
  F41: "a name of an artifact that exists already",
  F42: "no room for artifacts, or none allowed",
  F43: "an upload that fails or hangs at any of its requests",
  F44: "an upload that was stored, and whose answer was lost",
  F45: "a download that was cut, even between two of its entries",
  F46: "a download that was begun again over a half one",
  F47: "artifacts that expired, were deleted, or are listed late",
  F48: "a shipment that is too large or too slow",
  F50: "a job that is cancelled",
  F51: "a process that is killed",
  F52: "a machine that is lost",
  F53: "the job's time limit",
  F54: "a full disk, and a write cut short by it",
  F55: "a write or a sync that the disk fails",
  F56: "a tool that uses up memory, processes or files",
  F58: "a process that keeps a tool's output open",
  F59: "a flood of output",
  F60: "files that cannot be read or removed",
  F61: "locks that a killed git left",
  F63: "packed objects that were cut",
  F64: "odd repositories",
  F65: "two runs on one session",
  F66: "a run that was dropped before it began",
  F70: "a log of an older or a newer format",
  F71: "a log and a tree of different age",
  F72: "a rename or a temporary file that a crash left half done",
  F73: "a post step after a main that did nothing",
};

const root = join(import.meta.dirname, "..");
/** A title that ends with the rows it proves. */
const titles = /\(((?:F\d+(?:, )?)+)\)["'`]/g;

function named(): ReadonlySet<string> {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const ids = files.flatMap((name) =>
    [...readFileSync(join(root, name), "utf8").matchAll(titles)].flatMap(([, list = ""]) => list.split(", ")),
  );
  return new Set(ids);
}

describe("every fault that the session is built for", () => {
  const tested = named();
  it.each(Object.entries(rows))("%s, %s, is named by the test that proves what happens then", (id) => {
    expect(tested).toContain(id);
  });
});
