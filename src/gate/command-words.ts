/** What one command runs of the repository. */
export type Run =
  | { readonly kind: "cd"; readonly dir: string }
  /** Scripts of the package.json in `dir`; everywhere: of whichever packages there are. */
  | {
      readonly kind: "scripts";
      readonly names: readonly string[];
      readonly dir: string;
      readonly isEverywhere: boolean;
    }
  /** The first of `files` that exists. */
  | { readonly kind: "recipes"; readonly files: readonly string[]; readonly targets: readonly string[] }
  | { readonly kind: "files"; readonly files: readonly string[] };

/** The words of each simple command in a piece of shell, without quotes and comments. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  return text
    .replace(/\\\n/g, " ")
    .split(/&&|\|\||[;|&\n()`]|\$\(/)
    .map((command) =>
      Array.from(command.replace(/(?:^|\s)#.*/, "").matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"'])+/g), ([word]) =>
        word.replace(/["']/g, ""),
      ),
    )
    .map(withoutPrefix)
    .filter((words) => words.length > 0);
}

/** Words that only say how the rest is run. */
const before =
  /^(?:[A-Za-z_]\w*=.*|cross-env|env|exec|time|nice|command|sudo|dotenv|--|if|then|else|do|!|\{|npx|bunx|pnpx|uvx)$/;
const runners = /^(?:npm|pnpm|yarn|bun)$/;
const interpreters =
  /^(?:node|nodejs|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|sh|bash|zsh|dash|source|\.|pwsh|bats)$/;

function withoutPrefix(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !before.test(word));
  const rest = start < 0 ? [] : words.slice(start);
  const [first = "", second = "", third] = rest;
  // The same programs, run by the one that installed them.
  const isRun = /^(?:poetry|uv|pipenv|hatch|rye|pdm|bundle)$/.test(first) && /^(?:run|exec)$/.test(second);
  const isExec = runners.test(first) && /^(?:exec|dlx|x)$/.test(second);
  return (isRun || isExec) && third !== undefined
    ? withoutPrefix(rest.slice(2).filter((word) => word !== "--"))
    : rest;
}

export function runOf(words: readonly string[]): Run {
  const [first = "", ...rest] = words;
  const name = first.slice(first.lastIndexOf("/") + 1);
  if (name === "cd") return { kind: "cd", dir: rest[0] ?? "." };
  if (runners.test(name) && !(name === "bun" && isFile(rest[0] ?? ""))) return packageRun(rest);
  if (name === "node" && rest.includes("--run"))
    return scripts(rest.slice(rest.indexOf("--run") + 1, rest.indexOf("--run") + 2));
  if (/^(?:npm-run-all2?|run-[sp]|concurrently|wireit|turbo|nx|lerna|lage|rush)$/.test(name))
    return {
      ...scripts(rest.map((word) => word.replace(/^(?:npm|pnpm|yarn):/, "")).filter(isName)),
      isEverywhere: /^(?:turbo|nx|lerna|lage|rush)$/.test(name),
    };
  if (/^g?make$/.test(name)) return makeRun(rest);
  if (name === "just")
    return { kind: "recipes", files: ["justfile", "Justfile", ".justfile"], targets: rest.filter(isName) };
  return { kind: "files", files: filesOf(first, name, rest) };
}

function scripts(names: readonly string[]): Extract<Run, { kind: "scripts" }> {
  return { kind: "scripts", names, dir: ".", isEverywhere: false };
}

function packageRun(words: readonly string[]): Run {
  const valued = /^(?:-C|--prefix|--dir|--cwd|-w|--workspace|--filter|-F)$/;
  const isEverywhere = words.some((word) =>
    /^(?:-w|-ws|-r|-F|--workspaces?|--recursive|--filter)(?:=|$)|^workspaces?$/.test(word),
  );
  const dirAt = words.findIndex((word) => /^(?:-C|--prefix|--dir|--cwd)$/.test(word));
  const end = words.indexOf("--");
  const own = (end < 0 ? words : words.slice(0, end)).filter(
    (word, index) => !word.startsWith("-") && !valued.test(words[index - 1] ?? ""),
  );
  const names = own
    .filter((word) => !/^(?:run|run-script|workspaces?|foreach|recursive)$/.test(word))
    .slice(0, 1);
  const name = names.map((word) => (/^(?:t|tst)$/.test(word) ? "test" : word));
  return { kind: "scripts", names: name, dir: dirAt < 0 ? "." : (words[dirAt + 1] ?? "."), isEverywhere };
}

function makeRun(words: readonly string[]): Run {
  const dirAt = words.indexOf("-C");
  const dir = dirAt < 0 ? "" : `${words[dirAt + 1]}/`;
  const fileAt = words.indexOf("-f");
  const files = fileAt < 0 ? ["GNUmakefile", "makefile", "Makefile"] : [words[fileAt + 1] ?? "Makefile"];
  const targets = words.filter((word, index) => isName(word) && !/^-[Cfj]$/.test(words[index - 1] ?? ""));
  return { kind: "recipes", files: files.map((file) => `${dir}${file}`), targets };
}

/** What is run, and what the command names as its configuration. */
function filesOf(first: string, name: string, rest: readonly string[]): readonly string[] {
  const run = interpreters.test(name) ? firstFile(rest) : first.includes("/") ? [first] : [];
  const named = rest.filter((word, index) => {
    const flag = rest[index - 1] ?? "";
    return (
      /^(?:-[cr]|--(?:config|require|import|loader|setup\w*|project|rcfile|config-file|ignore-path|settings))$/.test(
        flag,
      ) && isFile(word)
    );
  });
  const joined = rest.flatMap((word) => /^--?[\w-]+=(.+)$/.exec(word)?.[1] ?? []).filter(isFile);
  const settings = rest.filter(
    (word) => /\.(?:json|ya?ml|toml|ini|cfg|xml|sh|mk)$|\brc$/.test(word) && isFile(word),
  );
  return [...run, ...named, ...joined, ...settings].filter((word) => !/[*?${}]/.test(word));
}

function firstFile(words: readonly string[]): readonly string[] {
  const file = words.find((word) => word !== "run" && !word.startsWith("-") && isFile(word));
  return file === undefined ? [] : [file];
}

function isFile(word: string): boolean {
  return /[./]/.test(word) && !word.startsWith("-") && !/^\d|:\/\//.test(word);
}

function isName(word: string): boolean {
  return !word.startsWith("-") && !word.includes("=");
}
