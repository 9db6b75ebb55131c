import { appendFile } from "node:fs/promises";
import { setOutput } from "@actions/core";
import { strictMask } from "../../base/disguises.ts";
import type { Mask } from "../../base/masking.ts";
import type { JobLog } from "./job-log.ts";

/** How the run ended, as the outputs, the summary, the log and the exit code tell it. Strings may be untrusted text. */
export type Ending = {
  readonly kind: string;
  readonly reason: string;
  readonly detail: string;
  readonly resumable: boolean;
  readonly exit: 0 | 1;
  readonly session: string | null;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  readonly patch: { readonly name: string } | null;
  readonly branch: string | null;
  readonly baseSha: string | null;
  readonly headSha: string | null;
  readonly turns: number;
  /** Null where a price is unknown. */
  readonly costUsd: number | null;
  /** Markdown for the job summary; empty when there is nothing to add. */
  readonly report: string;
};

/** The runner refuses a summary of more than 1 MiB altogether. */
const summaryBytesMax = 1_000_000;

/**
 * Tells the ending in every place where it shows, the log first: the others are files, which a full disk does not
 * take. The process keeps running: `process.exitCode` is set, no more.
 */
export async function reportEnding(
  ending: Ending,
  { log, mask }: { readonly log: JobLog; readonly mask: Mask },
): Promise<void> {
  process.exitCode = ending.exit;
  tell(ending, log);
  const strict = strictMask(mask);
  try {
    for (const [name, value] of Object.entries(outputsOf(ending))) setOutput(name, strict(value));
    if (ending.report !== "") await writeSummary(strict(ending.report));
  } catch (error) {
    log.warn(`The outputs or the summary could not be written: ${String(error)}`);
  }
}

/** All outputs of action.yml; what there is none of is empty. */
export function outputsOf(ending: Ending): Readonly<Record<string, string>> {
  const outputs = {
    "session-id": ending.session ?? "",
    outcome: ending.kind,
    reason: ending.reason,
    resumable: String(ending.resumable),
    "pull-request-number": ending.pullRequest === null ? "" : String(ending.pullRequest.number),
    "pull-request-url": ending.pullRequest?.url ?? "",
    patch: ending.patch?.name ?? "",
    branch: ending.branch ?? "",
    "base-sha": ending.baseSha ?? "",
    "head-sha": ending.headSha ?? "",
    turns: String(ending.turns),
    "cost-usd": ending.costUsd === null ? "" : String(Number(ending.costUsd.toFixed(4))),
  };
  const { report: _, exit: __, ...facts } = ending;
  return { ...outputs, report: JSON.stringify(facts) };
}

function tell(ending: Ending, log: JobLog): void {
  const sentence = ending.detail === "" ? ending.reason : ending.detail;
  const line = `${ending.kind} (${ending.reason}): ${sentence}`;
  if (ending.exit === 1) log.error(line);
  else if (ending.kind === "suspended") log.warn(line);
  else log.say(line);
}

async function writeSummary(markdown: string): Promise<void> {
  const file = process.env["GITHUB_STEP_SUMMARY"];
  // Without the file there is no summary to write to, and the log has said everything.
  if (!file) return;
  const bytes = Buffer.from(markdown, "utf8");
  const cut = "\n\nThe rest is left out: a summary may not be longer.\n";
  const whole = bytes.length <= summaryBytesMax;
  await appendFile(
    file,
    whole ? `${markdown}\n` : `${bytes.subarray(0, summaryBytesMax).toString("utf8")}${cut}`,
  );
}
