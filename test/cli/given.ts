// A terminal with a repository in it: the built command line, real git, a script in place of the model.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { sandboxKinds } from "../../src/adapters/sandbox/kind.ts";
import { git, temporaryFolder } from "../kit/repositories.ts";

const entry = resolve(import.meta.dirname, "../../dist/cli/index.js");

/** Where no sandbox can be made, these tests run without one, and those that need one are left out. */
export const sandboxed = (await sandboxKinds()).kind === "some";

export type Said = { readonly exit: number | null; readonly out: string };

export type Started = {
  readonly pid: number;
  /** Resolves once what was printed matches; throws with all of it when the process ends before. */
  readonly printed: (pattern: RegExp) => Promise<void>;
  readonly ended: Promise<Said>;
};

export type Terminal = Disposable & {
  readonly folder: string;
  readonly repository: string;
  readonly sessions: string;
  /** How the program names itself in the commands that it suggests. */
  readonly program: string;
  readonly start: (...words: string[]) => Started;
  readonly run: (...words: string[]) => Promise<Said>;
  /** A script of the model's replies; the value of `--model`. */
  readonly script: (replies: readonly object[]) => string;
};

const agentYml = 'checks:\n  - { name: test, run: "sh check.sh" }\n';

/** The repository's check wants `n = 2`, and has `n = 1`. */
export const seed = {
  "n.txt": "n = 1\n",
  "check.sh": "grep -q 'n = 2' n.txt\n",
  ".github/agent.yml": agentYml,
} as const;

export function givenTerminal(
  given: {
    readonly files?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Terminal {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const repository = join(folder, "repository");
  mkdirSync(join(folder, "home"));
  mkdirSync(repository);
  git(repository, ["init", "--quiet", "--initial-branch=main"]);
  for (const [name, text] of Object.entries(given.files ?? seed)) {
    mkdirSync(join(repository, name, ".."), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  git(repository, ["add", "--all"]);
  git(repository, ["commit", "--quiet", "--message=Begin"]);
  const path = process.env["PATH"] ?? "";
  const state = join(folder, "state");
  const env = { PATH: path, HOME: join(folder, "home"), XDG_STATE_HOME: state, ...given.env };
  const start = (...words: string[]): Started => {
    // Right behind the command: at the end it could be taken for the value that another flag lacks.
    const [command, ...rest] = words;
    const flags = !sandboxed && command === "run" ? [command, "--no-sandbox", ...rest] : words;
    const child = spawn(process.execPath, [entry, ...flags], { cwd: repository, env });
    return watching(child);
  };
  let scripts = 0;
  return {
    folder,
    repository,
    sessions: join(state, "baton"),
    program: `node ${relative(realpathSync(repository), entry)}`,
    start,
    run: (...words) => start(...words).ended,
    script: (replies) => {
      scripts += 1;
      const file = join(folder, `script-${scripts}.json`);
      writeFileSync(file, JSON.stringify(replies));
      return `scripted:${file}`;
    },
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

function watching(child: ChildProcess): Started {
  let out = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      for (const look of waiting) look();
    });
  }
  const ended = once(child, "close").then(([exit]): Said => ({ exit: exit as number | null, out }));
  return {
    pid: child.pid ?? 0,
    ended,
    printed: async (pattern) => {
      const found = Promise.withResolvers<void>();
      const look = (): void => {
        if (pattern.test(out)) found.resolve();
      };
      waiting.add(look);
      look();
      const gone = ended.then(() => {
        throw new Error(`it ended before it printed ${pattern}:\n${out}`);
      });
      await Promise.race([found.promise, gone]);
      waiting.delete(look);
    },
  };
}

/** The name of the session that this output is about. */
export function sessionIn(out: string): string {
  const [session] = /\bs[0-9a-f]{12}\b/.exec(out) ?? [];
  if (session === undefined) throw new Error(`no session is named in:\n${out}`);
  return session;
}

/** The events of a session, in order, as its log has them. */
export function eventsOf(terminal: Pick<Terminal, "sessions">, session: string): readonly Event[] {
  const log = readFileSync(join(terminal.sessions, session, "events.jsonl"), "utf8");
  return log
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly event: Event }).event);
}

export type Event = { readonly type: string; readonly [key: string]: unknown };

export const shell = (command: string) => ({ name: "shell", input: { command } });

/** What makes the check pass. */
export const fix = { name: "edit", input: { path: "n.txt", old: "n = 1", new: "n = 2" } };
