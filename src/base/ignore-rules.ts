import ignore, { type Ignore } from "ignore";

/** The text of one `.gitignore`; `dir` is the directory it stands in, `""` for the top, else `a/b`. */
export type IgnoreFile = { readonly dir: string; readonly text: string };

export type IgnoreRules = {
  /** `path` is relative to the top, with `/`, without a leading or trailing one. */
  readonly ignored: (path: string, kind: "file" | "dir") => boolean;
};

export type GrowingIgnoreRules = IgnoreRules & {
  /** Answers already given do not change: add a directory's file before asking about what is below it. */
  readonly add: (file: IgnoreFile) => void;
};

/**
 * What git's exclude rules say about a path: the deepest file that has a matching pattern decides, its last such
 * pattern wins, and nothing below an ignored directory comes back. Case counts. Whether git tracks a path, the
 * user's own exclude files and `.git` itself are the caller's matters.
 *
 * One known difference: git reads `**` right after a literal (`a**\/b`) as crossing directories; here it does not.
 */
export function ignoreRules(files: readonly IgnoreFile[]): IgnoreRules {
  const rules = growingIgnoreRules();
  for (const file of files) rules.add(file);
  return { ignored: rules.ignored };
}

/** The same, for a walk that meets the files on its way down. */
export function growingIgnoreRules(): GrowingIgnoreRules {
  const layers = new Map<string, Layer>();
  const directories = new Map<string, boolean>();

  const ignored = (path: string, kind: "file" | "dir"): boolean => {
    const known = kind === "dir" ? directories.get(path) : undefined;
    if (known !== undefined) return known;
    const parent = parentOf(path);
    const answer = (parent !== "" && ignored(parent, "dir")) || verdict(layers, path, kind) === "ignored";
    if (kind === "dir") directories.set(path, answer);
    return answer;
  };

  return { ignored, add: ({ dir, text }) => layers.set(dir, compile(text)) };
}

type Layer = { readonly file: Ignore; readonly dir: Ignore };

function verdict(
  layers: ReadonlyMap<string, Layer>,
  path: string,
  kind: "file" | "dir",
): "ignored" | "kept" | "silent" {
  for (let dir = parentOf(path); ; dir = parentOf(dir)) {
    const layer = layers.get(dir);
    const result = layer?.[kind].test(dir === "" ? path : path.slice(dir.length + 1));
    if (result?.ignored) return "ignored";
    if (result?.unignored) return "kept";
    if (dir === "") return "silent";
  }
}

/**
 * The library also answers "ignored" where only a parent directory matches. Parents are judged here, across all
 * files, so that answer would be wrong where a deeper file brought the parent back. The last pattern of each set
 * therefore brings every directory back, and a directory is asked about as if it were a file, by patterns that
 * lost the slash which makes them speak of directories only.
 */
function compile(text: string): Layer {
  const everyDirectory = "!*/";
  const slashless = text.split("\n").map(withoutLastSlash).join("\n");
  const make = (patterns: string): Ignore => ignore({ ignorecase: false }).add(patterns).add(everyDirectory);
  return { file: make(text), dir: make(slashless) };
}

function withoutLastSlash(line: string): string {
  let end = line.endsWith("\r") ? line.length - 1 : line.length;
  while (line[end - 1] === " " && !isEscaped(line, end - 1)) end -= 1;
  return line[end - 1] === "/" ? line.slice(0, end - 1) : line;
}

function isEscaped(line: string, at: number): boolean {
  let start = at;
  while (line[start - 1] === "\\") start -= 1;
  return (at - start) % 2 === 1;
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}
