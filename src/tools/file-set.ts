import { isGit, locate, type Refused } from "./confine.ts";
import { type Matcher, startMatcher } from "./matcher.ts";
import { nearestNames } from "./nearest.ts";
import type { ToolContext } from "./tool.ts";
import { walk } from "./walk.ts";

/** Files that a path and a glob select, and what a reader of the list must know about it. */
export type FileSet = {
  readonly kind: "files";
  readonly files: readonly string[];
  readonly links: readonly string[];
  readonly remarks: readonly string[];
};

const globMsMax = 2_000;
export const globCharsMax = 500;

/** The files at or below `start` that match `glob`, each relative to the workspace, sorted. */
export async function selectFiles(
  { start, glob }: { readonly start: string; readonly glob: string | null },
  context: ToolContext,
): Promise<FileSet | Refused> {
  const place = await locate(context.root, start, "read");
  if (place.kind === "refused") return place;
  if (isGit(place.path)) {
    return {
      kind: "refused",
      why: `${start} belongs to .git, which is not looked into; use git in the shell.`,
    };
  }
  if (place.type === "absent") {
    const names = await nearestNames(context.root, start, context);
    return { kind: "refused", why: `${start} does not exist.${names}` };
  }
  if (place.type === "file") return { kind: "files", files: [place.path], links: [], remarks: [] };
  if (place.type === "other") return { kind: "refused", why: `${start} is not a file or directory.` };
  const found = await walk(context.root, place.path, context);
  const remarks = [
    ...(found.isCut
      ? ["[the workspace has more entries than are looked at; give a path to look deeper]"]
      : []),
    ...(found.isIgnored
      ? [`[${start} is hidden by .gitignore; it was named, so all below it was looked at]`]
      : []),
  ];
  if (glob === null) return { kind: "files", files: found.files, links: found.links, remarks };
  await using matcher = startMatcher(null, { msMax: globMsMax, signal: context.signal });
  const files = await matching(matcher, glob, place.path, found.files);
  if (!Array.isArray(files)) return files;
  const links = await matching(matcher, glob, place.path, found.links);
  if (!Array.isArray(links)) return links;
  return { kind: "files", files, links, remarks };
}

/** A glob may be meant from the start or from the workspace; a name that matches either way is taken. */
async function matching(
  matcher: Matcher,
  glob: string,
  start: string,
  names: readonly string[],
): Promise<string[] | Refused> {
  const plain = glob.replace(/^(\.?\/)+/, "");
  const globs = start === "" || !plain.includes("/") ? [plain] : [plain, `${escapeGlob(start)}/${plain}`];
  const answer = await matcher.names(globs, names);
  if (answer.kind !== "names") {
    return {
      kind: "refused",
      why: `The glob ${glob} could not be used: ${answer.why}. Write a simpler one.`,
    };
  }
  return answer.indexes.flatMap((index) => names[index] ?? []);
}

function escapeGlob(name: string): string {
  return name.replace(/[*?[\]{}()!+@\\]/g, "[$&]");
}
