// The files that a pull request changes, as git's three-dot diff says.
import { ask } from "./repository-reads.ts";
import type { RestFile } from "./rest-types.ts";
import { apiUrl, htmlUrl } from "./shapes.ts";
import type { World } from "./world.ts";

const statuses: Readonly<Record<string, RestFile["status"]>> = {
  A: "added",
  C: "copied",
  D: "removed",
  M: "modified",
  R: "renamed",
  T: "changed",
};

/** Changes from the merge base of `base` and `head` to `head`. */
export async function changedFiles(world: World, base: string, head: string): Promise<readonly RestFile[]> {
  const from = (await ask(world, "merge-base", base, head)) ?? base;
  if (from === head) return [];
  const diff = (...args: readonly string[]) => world.bare.run(["diff", "-M", ...args, from, head]);
  const raw = parseRaw((await diff("--raw", "-z", "--no-abbrev")).toString());
  const counts = parseCounts((await diff("--numstat", "-z")).toString());
  const patches = (await diff())
    .toString()
    .split(/^(?=diff --git )/m)
    .filter(Boolean);
  return raw.map((entry, i) => {
    const { additions, deletions } = counts[i] ?? { additions: 0, deletions: 0 };
    const path = entry.path.split("/").map(encodeURIComponent).join("/");
    const hunks = /^@@[\s\S]*/m.exec(patches[i] ?? "")?.[0].replace(/\n$/, "");
    return {
      sha: entry.sha,
      filename: entry.path,
      status: statuses[entry.status] ?? "changed",
      additions,
      deletions,
      changes: additions + deletions,
      blob_url: htmlUrl(world, `/blob/${head}/${path}`),
      raw_url: htmlUrl(world, `/raw/${head}/${path}`),
      contents_url: apiUrl(world, `/contents/${path}?ref=${head}`),
      ...(hunks !== undefined && { patch: hunks }),
      ...(entry.previous !== undefined && { previous_filename: entry.previous }),
    };
  });
}

type RawEntry = {
  readonly status: string;
  readonly sha: string;
  readonly path: string;
  readonly previous: string | undefined;
};

/** `:<mode> <mode> <old> <new> <status>\0<path>\0[<path>\0]` … */
function parseRaw(output: string): readonly RawEntry[] {
  const parts = output.split("\0");
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < parts.length; ) {
    const [, , before = "", after = "", letter = ""] = (parts[i] ?? "").split(" ");
    const status = letter.slice(0, 1);
    const moved = status === "R" || status === "C";
    const path = parts[i + (moved ? 2 : 1)] ?? "";
    // GitHub names the old blob of a removed file.
    entries.push({
      status,
      sha: status === "D" ? before : after,
      path,
      previous: moved ? parts[i + 1] : undefined,
    });
    i += moved ? 3 : 2;
  }
  return entries;
}

/** `<added>\t<deleted>\t<path>\0`, with an empty path and two more fields for a rename; `-` for binary files. */
function parseCounts(output: string): readonly { readonly additions: number; readonly deletions: number }[] {
  const parts = output.split("\0");
  const counts: { readonly additions: number; readonly deletions: number }[] = [];
  for (let i = 0; i + 1 < parts.length; ) {
    const [added = "0", deleted = "0", path = ""] = (parts[i] ?? "").split("\t");
    counts.push({ additions: Number(added) || 0, deletions: Number(deleted) || 0 });
    i += path === "" ? 3 : 1;
  }
  return counts;
}
