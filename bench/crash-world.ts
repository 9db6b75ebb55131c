import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { use } from "../test/kit/model/script.ts";
import { type ScriptedModel, startModel } from "../test/kit/model/server.ts";
import { blocksOf, type WireRequest } from "../test/kit/model/wire.ts";
import { git } from "../test/kit/repositories.ts";
import { files } from "./harnesses.ts";

/** The script: one shell call a step, and at step `at` the one that the kill falls into. */
export const steps = 12;
export const at = 10;
const sleepSeconds = 4;
export const effectCommand = `echo begin >> effect.txt; sleep ${sleepSeconds}; echo done >> effect.txt`;
/** Long enough for a command that outlived its harness to end by itself, so that it is seen to have run on. */
export const orphanMs = sleepSeconds * 1000 + 1500;

/** `tree`: SIGKILL to Baton and all that it started; `agent`: to Baton alone; `none`: it ends by itself. */
export const kills = ["tree", "agent", "term", "int", "none"] as const;
export type Kill = (typeof kills)[number];

/** A machine: a repository with a second branch, and a home with the sessions in it. */
export type Place = {
  readonly root: string;
  readonly repository: string;
  readonly home: string;
  readonly sessions: string;
};

export function makePlace(root: string): Place {
  const [repository, home] = [path.join(root, "repository"), path.join(root, "home")];
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(repository, name)), { recursive: true });
    writeFileSync(path.join(repository, name), text);
  }
  git(repository, ["init", "--quiet", "--initial-branch=main"]);
  commitAll(repository, "First");
  git(repository, ["checkout", "--quiet", "-b", "other"]);
  writeFileSync(path.join(repository, "src/f0.js"), "// rewritten on the other branch\n");
  commitAll(repository, "Second");
  git(repository, ["checkout", "--quiet", "main"]);
  return { root, repository, home, sessions: path.join(home, ".local/state/baton") };
}

function commitAll(repository: string, message: string): void {
  git(repository, ["add", "--all"]);
  git(repository, ["commit", "--quiet", `--message=${message}`]);
}

/**
 * The model has no memory: a conversation with k calls in it gets step k + 1, so whatever a harness forgot is asked
 * for, and done, again. It refuses what the API refuses.
 */
export function startScript(): Promise<ScriptedModel> {
  const step = ({ messages }: WireRequest) => {
    const asked = messages.filter((message) =>
      blocksOf(message.content).some(({ type }) => type === "tool_use"),
    );
    const next = asked.length + 1;
    if (next > steps)
      return { kind: "message", content: [{ type: "text", text: "All steps are done." }] } as const;
    const command = next === at ? effectCommand : commandOf(next);
    return use("shell", { command }, { text: `Step ${next}.` });
  };
  return startModel({ script: Array.from({ length: 10 * steps }, () => step) });
}

/** Appends a line, so that every step leaves one, and prints a file, so that its result can be told from others. */
export function commandOf(step: number): string {
  return `echo step ${step} >> log.txt; head -c 300 src/f${step}.js`;
}

export type Program = { readonly cli: string; readonly sandbox: boolean };
export type Ended = { readonly exit: number | null; readonly signal: string | null; readonly out: string };
export type Running = { readonly pid: number; readonly ended: Promise<Ended> };

export function launch(
  words: readonly string[],
  {
    place,
    program,
    model,
  }: { readonly place: Place; readonly program: Program; readonly model: ScriptedModel },
): Running {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: place.home,
    ANTHROPIC_API_KEY: "sk-ant-bench-0123456789",
    ANTHROPIC_BASE_URL: model.url,
  };
  const child = spawn(process.execPath, [program.cli, ...words], { cwd: place.repository, env });
  return { pid: child.pid ?? 0, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // Not `close`: what outlived it may hold its output open.
  const [exit, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { exit, signal, out: said.join("") };
}

/** The one session that was begun. */
export function sessionIn({ sessions }: Place): string {
  const session = readdirSync(sessions).find((name) => /^s[0-9a-f]{12}$/.test(name));
  if (session === undefined) throw new Error(`no session was begun in ${sessions}`);
  return session;
}

export function logIn(place: Place): string {
  return path.join(place.sessions, sessionIn(place), "events.jsonl");
}

/** The lines of a file: in the workspace while a run has one, else on the branch that was published. */
export function linesOf(name: string, { repository, sessions }: Place): readonly string[] {
  const runs = path.join(sessions, "runs");
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  if (run !== undefined) return split(textOf(path.join(runs, run, "work", name)));
  const branch = git(repository, ["for-each-ref", "--format=%(refname)", "refs/heads/agent/"]);
  if (branch === "" || git(repository, ["ls-tree", "--name-only", branch, name]) === "") return [];
  return split(git(repository, ["show", `${branch}:${name}`]));
}

function split(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
