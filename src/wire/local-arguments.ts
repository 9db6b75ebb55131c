import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Budget } from "../session/event.ts";

/** What stands on the command line and holds for a run and a resume. Null where nothing was said. */
export type Asked = {
  readonly repo: string | null;
  readonly base: string | null;
  readonly model: string | null;
  readonly checks: readonly string[] | null;
  readonly setup: readonly string[] | null;
  readonly config: string | null;
  readonly budget: Partial<Budget>;
  readonly sandbox: "off" | null;
  /** Of a resume only. */
  readonly resolve: "done" | "not-done" | null;
};

export type LocalCommand =
  | { readonly kind: "run"; readonly task: string; readonly asked: Asked; readonly sessions: string | null }
  | {
      readonly kind: "resume";
      readonly session: string;
      /** What is said to it, as after the phrase of a comment; empty where it is only to go on. */
      readonly answer: string;
      readonly asked: Asked;
      readonly sessions: string | null;
    }
  | { readonly kind: "verify"; readonly what: string; readonly sessions: string | null }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "unusable"; readonly why: string };

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean" } as const;
const common = { help: { ...flag, short: "h" }, sessions: text } as const;
const limits = { "max-turns": text, "max-minutes": text, "max-tokens": text, "max-cost-usd": text } as const;
const going = { ...common, ...limits, repo: text, model: text, "no-sandbox": flag } as const;
const options: Readonly<Record<"run" | "resume" | "verify", ParseArgsOptionsConfig>> = {
  run: { ...going, base: text, check: list, setup: list, config: text, publish: text },
  resume: { ...going, base: text, resolve: text, answer: text },
  verify: common,
};

/** Reads the words after the program's name. What cannot be understood is said and nothing is done. */
export function readArguments(words: readonly string[]): LocalCommand {
  const [name = "help", ...rest] = words;
  switch (name) {
    case "run":
    case "resume":
    case "verify":
      return readCommand(name, rest);
    case "help":
    case "--help":
    case "-h":
      return { kind: "help" };
    case "--version":
      return { kind: "version" };
    default:
      return unusable(`there is no command ${JSON.stringify(name)}; the commands are ${commandList}`);
  }
}

const commandList = "run, resume, verify, help";

function readCommand(name: "run" | "resume" | "verify", words: readonly string[]): LocalCommand {
  const parsed = parse(name, words);
  if (parsed.kind === "unusable") return parsed;
  const { values, positionals } = parsed;
  if (values["help"] === true) return { kind: "help" };
  const sessions = textIn(values, "sessions");
  if (name === "run") return readRun(values, positionals, sessions);
  const [what, ...more] = positionals;
  if (what === undefined || more.length > 0) {
    const wants = name === "resume" ? "one session" : "one session or directory";
    return unusable(`${name} takes ${wants}, and was given ${positionals.length}`);
  }
  if (name === "verify") return { kind: "verify", what, sessions };
  const asked = readAsked(values);
  if (asked.kind === "unusable") return asked;
  const answer = textIn(values, "answer")?.trim() ?? null;
  if (answer === "") return unusable("--answer is empty");
  return { kind: "resume", session: what, answer: answer ?? "", asked: asked.asked, sessions };
}

function readRun(values: Values, positionals: readonly string[], sessions: string | null): LocalCommand {
  const task = positionals.join(" ").trim();
  if (task === "") return unusable("run takes the task in words, such as: run make the parser accept tabs");
  const publish = textIn(values, "publish") ?? "branch";
  if (publish !== "branch") {
    return unusable(`--publish is ${JSON.stringify(publish)}; on this machine only branch can be published`);
  }
  const asked = readAsked(values);
  return asked.kind === "unusable" ? asked : { kind: "run", task, asked: asked.asked, sessions };
}

type Parsed = { readonly kind: "parsed"; readonly values: Values; readonly positionals: readonly string[] };

function parse(name: keyof typeof options, words: readonly string[]): Parsed | Unusable {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: options[name],
      allowPositionals: true,
    });
    return { kind: "parsed", values, positionals };
  } catch (error) {
    // Node's sentence names the flag and goes on about positionals.
    const said = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    const known = Object.keys(options[name]).map((option) => `--${option}`);
    return unusable(`${said}; ${name} knows ${known.join(" ")}`);
  }
}

type Unusable = Extract<LocalCommand, { kind: "unusable" }>;

function readAsked(values: Values): { readonly kind: "asked"; readonly asked: Asked } | Unusable {
  const budget = readBudget(values);
  if ("kind" in budget) return budget;
  const model = textIn(values, "model");
  if (model !== null && !model.startsWith("scripted:") && !/^[\w.:@/-]{1,128}$/.test(model)) {
    return unusable(`--model is ${JSON.stringify(model)}, which is no name of a model; or scripted:<file>`);
  }
  const resolve = textIn(values, "resolve");
  if (resolve !== null && resolve !== "done" && resolve !== "not-done")
    return unusable(`--resolve is ${JSON.stringify(resolve)}; it takes done or not-done`);
  const asked: Asked = {
    repo: textIn(values, "repo"),
    base: textIn(values, "base"),
    model,
    checks: listIn(values, "check"),
    setup: listIn(values, "setup"),
    config: textIn(values, "config"),
    budget,
    sandbox: values["no-sandbox"] === true ? "off" : null,
    resolve,
  };
  const empty = ["repo", "base", "config", "sessions"].find((name) => values[name] === "");
  return empty === undefined ? { kind: "asked", asked } : unusable(`--${empty} is empty`);
}

function readBudget(values: Values): Partial<Budget> | Unusable {
  const budget: { -readonly [Limit in keyof Budget]?: number } = {};
  const bounds = [
    ["max-turns", "turns", 1, 10_000],
    ["max-minutes", "minutes", 1, 7_200],
    ["max-tokens", "tokens", 1_000, 1_000_000_000],
    ["max-cost-usd", "costUsd", 0.01, 99_999],
  ] as const;
  for (const [name, limit, min, max] of bounds) {
    const given = textIn(values, name);
    if (given === null) continue;
    const value = Number(given);
    const fits = limit === "costUsd" ? /^\d+(\.\d{1,4})?$/.test(given) : /^\d+$/.test(given);
    if (!fits || value < min || value > max) {
      const what = limit === "costUsd" ? "an amount in US dollars" : "a whole number";
      return unusable(`--${name} is ${JSON.stringify(given)}; it takes ${what} from ${min} to ${max}`);
    }
    budget[limit] = value;
  }
  return budget;
}

function textIn(values: Values, name: string): string | null {
  const value = values[name];
  return typeof value === "string" ? value : null;
}

function listIn(values: Values, name: string): readonly string[] | null {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : null;
}

function unusable(why: string): Unusable {
  return { kind: "unusable", why };
}

export const helpText = `Baton on a repository of this machine.

  run <task in words>          work on a branch of the repository until the checks pass, and leave the
                               result on a new branch; your checkout is not touched
      --repo DIR               the repository; the current directory
      --base BRANCH            where the work begins; the branch that is checked out
      --model NAME             the model; claude-sonnet-5-5, or scripted:<file>
      --check CMD, --setup CMD in place of those in the configuration; may be given more than once
      --config PATH            the configuration in the repository; .github/agent.yml
      --publish branch         what is made of the result
  resume <session>             go on with a session that was killed, interrupted or suspended
      --repo DIR --model NAME  where the repository or the script is now
      --answer WORDS           what you say to it: the answer to its question, or approve <id>, or deny <id> <why>
      --resolve done           what you found out about the call that it is in doubt of; or not-done
      --base BRANCH            the session's own base: go on from it although something else is checked out now
  verify <session or directory>
                               prove the log of a session, or say where it is damaged
  help, --version

  run and resume:  --max-turns N --max-minutes N --max-tokens N --max-cost-usd N
                   --no-sandbox    what the model runs gets this machine's files, network and rights
  all:             --sessions DIR  where sessions are kept; $XDG_STATE_HOME/baton or ~/.local/state/baton

Exit code:  0 it ended well, or was suspended and can be resumed · 1 refused, red or failed · 2 nothing was begun
            130, 143, 129 interrupted by SIGINT, SIGTERM, SIGHUP; what ran was stopped, and it can be resumed

The API key is read from ANTHROPIC_API_KEY, another endpoint from ANTHROPIC_BASE_URL.`;
