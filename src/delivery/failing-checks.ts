import { cutText } from "../base/lines.ts";
import { howItEnded } from "../gate/findings-text.ts";
import type { Finding } from "../gate/verdict.ts";
import { codeBlock, codeSpan, neutralCell } from "./neutral.ts";
import { visible } from "./neutral-inline.ts";

const shownMax = 3;
const linesMax = 20;
const lineMax = 300;
const namesMax = 5;

/** What a person has to see of checks that are red at the end: how each came out, and its last lines. */
export function failingChecks(findings: readonly Finding[], triggerPhrase: string): string {
  const shown = findings.slice(0, shownMax).map((finding) => oneCheck(finding, triggerPhrase));
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more are not shown.`] : [])].join("\n\n");
}

function oneCheck(finding: Finding, triggerPhrase: string): string {
  const { check, command, output } = finding;
  const how = `${neutralCell(howItEnded(finding), 300)}${newFailures(finding)}`;
  const head = `Check ${codeSpan(check, 60)} (${codeSpan(command)}): ${how}.`;
  const lines = visible(output).trimEnd().split("\n");
  if (lines.join("") === "") return finding.kind === "unproved" ? head : `${head} It printed nothing.`;
  const last = lines.slice(-linesMax).map((line) => cutText(line, lineMax));
  const left = lines.length - last.length;
  const said = left > 0 ? ` Its last ${last.length} of ${lines.length} lines:` : " Its output:";
  return [`${head}${said}`, "", ...codeBlock(last, "", triggerPhrase)].join("\n");
}

/** Among the last lines of a runner may be only tests that failed before. */
function newFailures({ newFailures: names }: Finding): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, namesMax).map((name) => codeSpan(name, 100));
  const more = names.length - shown.length;
  return `: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
