import { type DependencyFile, howItChanged } from "../gate/dependencies.ts";
import { codeSpan, neutralCell } from "./neutral.ts";

const packagesMax = 20;
const filesMax = 10;

/** What a change does to what is installed, for whoever decides on merging it; "" where it does nothing. */
export function dependencyList(files: readonly DependencyFile[]): string {
  if (files.length === 0) return "";
  const parts = files.slice(0, filesMax).map(oneFile);
  const more = files.length > filesMax ? [`And ${files.length - filesMax} more files.`] : [];
  const head = "### Dependencies\n\nWhoever merges this installs what these files say:";
  return [head, ...parts, ...more].join("\n\n");
}

function oneFile({ path, how, packages }: DependencyFile): string {
  const name = codeSpan(path);
  if (how === null) return `${name} changed; its packages are not read.`;
  if (packages.length === 0) return `${name} changed, and no package in it.`;
  const read = how === "exactly" ? "" : " (read line by line)";
  const lines = packages
    .slice(0, packagesMax)
    .map((one) => `- ${codeSpan(one.name, 80)}: ${neutralCell(howItChanged(one), 80)}`);
  const left = packages.length - packagesMax;
  return [`${name}${read}:`, "", ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
}
