import type { Change } from "../workspace/workspace.ts";
import { matchesPath } from "./pattern.ts";
import type { SuspicionKind } from "./suspicion.ts";

/** A changed path that a person should see, or that may not leave; `why` is a sentence without its full stop. */
export type Marked = {
  readonly path: string;
  readonly why: string;
  /** What it is suspected of, and the text in it that is, as a `Suspicion` has them. */
  readonly kind?: SuspicionKind;
  readonly at?: string;
};

export type Protection = {
  /** Nothing is published while one of these is in the change (R12). */
  readonly refused: readonly Marked[];
  /** Named in the pull request. */
  readonly flagged: readonly Marked[];
};

type Rules = {
  /** `Config.protected`. */
  readonly patterns: readonly string[];
  /** The path of the configuration file. */
  readonly config: string;
};

/** A rename is a deleted and an added path, so a rename into or out of a place is seen as both. */
export function protection(changes: readonly Change[], rules: Rules): Protection {
  const refused: Marked[] = [];
  const flagged: Marked[] = [];
  for (const change of changes) {
    const barred = barredWhy(change);
    if (barred !== null) refused.push({ path: change.path, why: barred });
    const why = barred === null ? flaggedWhy(change, rules) : null;
    if (why !== null) flagged.push({ path: change.path, why });
  }
  return { refused, flagged };
}

function barredWhy({ path, mode }: Change): string | null {
  // Several names can look the same then, and GitHub would be told another one than was judged.
  if (path.includes("\ufffd")) return "its name is not UTF-8, and GitHub takes no other";
  const [top = "", second] = folded(path).split("/");
  if (top !== ".github") return null;
  if (second === "workflows") return "workflow files are never changed by Baton";
  // A link in the place of the directory would bring the workflows of another one.
  if (second === undefined) return mode === null ? null : "`.github` must stay a directory";
  return null;
}

/** As a file system that ignores case, or characters without a shape, would see the path. */
function folded(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[. ]+$/, (end) => (part === end ? end : "")))
    .join("/");
}

function flaggedWhy({ path }: Change, { patterns, config }: Rules): string | null {
  if (folded(path) === folded(config)) return "it holds the checks; the ones of the base commit were used";
  if (patterns.some((pattern) => matchesPath(pattern, path))) return "it is protected by the configuration";
  if (/^(?:\.github\/|docs\/|\.gitlab\/)?codeowners$/.test(folded(path))) return "it says who has to review";
  return folded(path).startsWith(".github/") ? "it configures GitHub" : null;
}
