/** What one command runs of the repository. */
export type Run =
  /** Null where a variable says where. */
  | { readonly kind: "cd"; readonly dir: string | null }
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

/** The words of each simple command in a piece of shell, without quotes and comments; also of what it quotes. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  return text
    .replace(/\\\n/g, " ")
    .split(/&&|\|\||[;|&\n()`]|\$\(/)
    .map((command) =>
      Array.from(command.replace(/(?:^|\s)#.*/, "").matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"'])+/g), ([word]) =>
        word.replace(/["']/g, ""),
      ),
    )
    .flatMap((words) => [words, ...words.filter((word) => /\s/.test(word)).flatMap(commandsIn)])
    .map(withoutPrefix)
    .filter((words) => words.length > 0);
}

/** Words that only say how the rest is run. */
const before =
  /^(?:[A-Za-z_]\w*=.*|cross-env|env|exec|time|nice|command|sudo|dotenv|--|if|then|else|do|!|\{|npx|bunx|pnpx|uvx)$/;
const managers = /^(?:npm|pnpm|yarn|bun)$/;
const interpreters =
  /^(?:node|nodejs|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|sh|bash|zsh|dash|source|\.|pwsh|bats)$/;
/** Programs that run scripts of package.json by their names; the second kind in any package. */
const scriptRunners = /^(?:npm-run-all2?|run-[sp]|concurrently|wireit|start-server-and-test|start-test)$/;
const monorepoRunners = /^(?:turbo|nx|lerna|lage|rush|moon)$/;

function withoutPrefix(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !before.test(word));
  const rest = start < 0 ? [] : words.slice(start);
  const [first = "", second = "", third] = rest;
  // The same programs, run by the one that installed them.
  const isRun = /^(?:poetry|uv|pipenv|hatch|rye|pdm|bundle)$/.test(first) && /^(?:run|exec)$/.test(second);
  const isExec = managers.test(first) && /^(?:exec|dlx|x)$/.test(second);
  return (isRun || isExec) && third !== undefined
    ? withoutPrefix(rest.slice(2).filter((word) => word !== "--"))
    : rest;
}

/**
 * What a command runs, and what it makes other programs run: `timeout 60 npm test`. A word that only looks like a
 * program makes the reach larger, never smaller.
 */
export function runsOf(words: readonly string[]): readonly Run[] {
  return words.flatMap((word, at) => {
    const isProgram =
      managers.test(word) ||
      /^g?make$|^just$/.test(word) ||
      interpreters.test(word) ||
      scriptRunners.test(word) ||
      monorepoRunners.test(word);
    return at === 0 || (isProgram && word !== ".") ? [runOf(words.slice(at))] : [];
  });
}

function runOf(words: readonly string[]): Run {
  const [first = "", ...given] = words;
  const rest = given.flatMap((word) => /^(--[\w-]+)=(.+)$/.exec(word)?.slice(1) ?? [word]);
  const name = first.slice(first.lastIndexOf("/") + 1);
  if (name === "cd" || name === "pushd") return { kind: "cd", dir: known(rest[0] ?? ".") };
  if (managers.test(name) && !(name === "bun" && isFile(rest[0] ?? ""))) return packageRun(rest);
  if (name === "node" && rest.includes("--run"))
    return scripts(rest.slice(rest.indexOf("--run") + 1, rest.indexOf("--run") + 2));
  if (scriptRunners.test(name))
    return scripts(rest.map((word) => word.replace(/^(?:npm|pnpm|yarn):/, "")).filter(isName));
  if (monorepoRunners.test(name))
    // `nx run a:test` and `nx run-many --target=test,lint` name it among other words.
    return { ...scripts(rest.flatMap((word) => [word, ...word.split(/[:,]/)])), isEverywhere: true };
  if (/^g?make$/.test(name)) return makeRun(rest);
  if (name === "just")
    return { kind: "recipes", files: ["justfile", "Justfile", ".justfile"], targets: rest.filter(isName) };
  return { kind: "files", files: filesOf(first, name, given) };
}

function known(dir: string): string | null {
  return /[$*{]/.test(dir) ? null : dir;
}

function scripts(names: readonly string[]): Extract<Run, { kind: "scripts" }> {
  return { kind: "scripts", names, dir: ".", isEverywhere: false };
}

const inDir = /^(?:-C|--prefix|--dir|--cwd)$/;

function packageRun(words: readonly string[]): Run {
  const valued = /^(?:-C|--prefix|--dir|--cwd|-w|--workspace|--filter|-F)$/;
  const dir = known(words[words.findIndex((word) => inDir.test(word)) + 1] ?? ".");
  const isEverywhere =
    dir === null ||
    words.some((word) => /^(?:-w|-ws|-r|-F|--workspaces?|--recursive|--filter)$|^workspaces?$/.test(word));
  const hasDir = words.some((word) => inDir.test(word));
  const end = words.indexOf("--");
  const own = (end < 0 ? words : words.slice(0, end)).filter(
    (word, index) => !word.startsWith("-") && !valued.test(words[index - 1] ?? ""),
  );
  const names = own
    .filter((word) => !/^(?:run|run-script|workspaces?|foreach|recursive)$/.test(word))
    // `yarn workspace a test` names the package before the script.
    .slice(0, words.includes("workspace") ? 2 : 1);
  const name = names.map((word) => (testing.test(word) ? "test" : word));
  return { kind: "scripts", names: name, dir: hasDir ? (dir ?? ".") : ".", isEverywhere };
}

/** Other words of npm for its test, some of which install first. */
const testing = /^(?:t|tst|it|cit|sit|install-test|install-ci-test|clean-install-test)$/;

function makeRun(words: readonly string[]): Run {
  const after = (...flags: readonly string[]) => {
    const at = words.findIndex((word) => flags.includes(word));
    return at < 0 ? undefined : words[at + 1];
  };
  const dir = after("-C", "--directory");
  const file = after("-f", "--file", "--makefile");
  const files = file === undefined ? ["GNUmakefile", "makefile", "Makefile"] : [file];
  const valued = /^-[Cfj]$|^--(?:directory|file|makefile|jobs)$/;
  const targets = words.filter((word, index) => isName(word) && !valued.test(words[index - 1] ?? ""));
  return {
    kind: "recipes",
    files: files.map((one) => (dir === undefined ? one : `${dir}/${one}`)),
    targets,
  };
}

/** What is run, and what the command names as its configuration. */
function filesOf(first: string, name: string, rest: readonly string[]): readonly string[] {
  // `python -m doctest app.py` runs a module that looks at the file.
  const isModule = name.startsWith("python") && rest.includes("-m");
  const run = isModule ? [] : interpreters.test(name) ? firstFile(rest) : first.includes("/") ? [first] : [];
  const named = rest.filter((word, index) => {
    const flag = rest[index - 1] ?? "";
    return (
      /^(?:-[cr]|--(?:config|require|import|loader|setup\w*|project|rcfile|config-file|ignore-path|settings))$/.test(
        flag,
      ) && isFile(word)
    );
  });
  // What is measured is named so too, and not run.
  const joined = rest
    .flatMap(
      (word) => /^-{1,2}(?!-|(?:include|exclude|ignore|src|source|cov)=)[\w-]+=(.+)$/.exec(word)?.[1] ?? [],
    )
    .filter(isFile);
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
