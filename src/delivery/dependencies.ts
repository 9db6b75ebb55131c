import { type DependencyFile, howItChanged, whyToLook } from "../gate/dependencies/dependencies.ts";
import { codeSpan, neutralCell, pathSpan } from "./neutral.ts";

const packagesMax = 20;
const filesMax = 10;

/** What a change does to what is installed, for whoever decides on merging it; "" where it does nothing. */
export function dependencyList(files: readonly DependencyFile[]): string {
  if (files.length === 0) return "";
  return `### Dependencies\n\nWhoever merges this installs what these files say:\n\n${packageList(files)}`;
}

/** The same without a heading, those nearest to the root first; "" where there are no files. */
export function packageList(files: readonly DependencyFile[]): string {
  // Nobody can push what the repository itself installs out of the list by files deep below it.
  const nearest = files.toSorted((one, other) => depthOf(one) - depthOf(other));
  const parts = nearest.slice(0, filesMax).map(oneFile);
  const more = files.length > filesMax ? [`And ${files.length - filesMax} more files.`] : [];
  return [...parts, ...more].join("\n\n");
}

function depthOf({ path }: DependencyFile): number {
  return path.split("/").length;
}

function oneFile(file: DependencyFile): string {
  const { path, as, how, packages, origins } = file;
  const name = pathSpan(path);
  if (how === null)
    return as === ""
      ? `${name} changed; its packages are not read.`
      : `${name} changed, and is not readable as ${as}: look at it closely.`;
  const closely = listed(
    origins.map((one) => `- ${codeSpan(one.name, 80)}: ${neutralCell(whyToLook(one), 160)}`),
  );
  const look = closely.length === 0 ? [] : [`Look at these in ${name} closely:`, closely.join("\n")];
  if (packages.length === 0)
    return closely.length === 0 ? `${name} changed, and no package in it.` : look.join("\n\n");
  const read = how === "exactly" ? "" : " (read line by line)";
  const lines = listed(
    packages.map((one) => `- ${codeSpan(one.name, 80)}: ${neutralCell(howItChanged(one), 80)}`),
  );
  return [`${name}${read}:`, lines.join("\n"), ...look].join("\n\n");
}

function listed(lines: readonly string[]): readonly string[] {
  const left = lines.length - packagesMax;
  return [...lines.slice(0, packagesMax), ...(left > 0 ? [`- and ${left} more`] : [])];
}
