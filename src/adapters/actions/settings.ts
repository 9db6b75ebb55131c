import { getInput } from "@actions/core";
import * as v from "valibot";
import { maskOf } from "../../base/masking.ts";
import { type InputValues, inputSchema, secretInputs } from "./inputs.ts";
import { type Secrets, takeSecrets } from "./secrets.ts";

/** What the workflow says, checked. Null where it says nothing and something else decides. */
export type Settings = {
  readonly kind: "settings";
  readonly anthropicApiKey: string | null;
  /** Without a slash at the end; null for Anthropic's own. */
  readonly anthropicBaseUrl: string | null;
  readonly model: string;
  /** The workflow names it; else it is the default. */
  readonly modelGiven: boolean;
  readonly githubToken: string;
  readonly triggerPhrase: string;
  /** What to do where no comment says it, as written and empty where nothing is: the trigger makes sense of it. */
  readonly asks: {
    readonly session: string;
    readonly answer: string;
    readonly task: string;
    readonly target: string;
  };
  /** What a person says of the call in doubt of that session. */
  readonly resolve: "done" | "not-done" | null;
  /** A run's id. */
  readonly takeOver: string | null;
  /** A path in the repository. */
  readonly configPath: string;
  /** One command a line; null where the configuration file decides. */
  readonly setup: readonly string[] | null;
  readonly checks: readonly string[] | null;
  /** Only the limits that the workflow sets. */
  readonly budget: {
    readonly turns?: number;
    readonly minutes?: number;
    readonly tokens?: number;
    readonly costUsd?: number;
  };
  readonly publish: "draft" | "ready";
  /** Null: derived from the API key. */
  readonly sessionKey: string | null;
  readonly allowedBots: readonly number[];
  /** Which pictures of the text the model is shown. */
  readonly images: "off" | "uploads";
  /** The job's log tells what tools print, too. */
  readonly showOutput: boolean;
  readonly durability: "auto" | "process" | "disk";
  readonly retentionDays: number;
  readonly shipSeconds: number;
  readonly onUnsaved: "go-on" | "stop";
  readonly sandbox: "on" | "off";
  /** Everything that must never be shown, for `maskOf`. */
  readonly secrets: readonly string[];
};

export type SettingsRefused = {
  readonly kind: "refused";
  /** Which inputs, what they are, and what is allowed. */
  readonly why: string;
  readonly secrets: readonly string[];
};

/** Reads every input, the secret ones first (`takeSecrets`). Can be called once. */
export function readSettings(): Settings | SettingsRefused {
  const given = takeSecrets();
  const secrets = Object.values(given).filter((secret) => secret !== "");
  const raw: Record<string, string> = { ...given };
  for (const name of Object.keys(inputSchema.entries)) raw[name] ??= getInput(name);
  const read = v.safeParse(inputSchema, raw);
  if (read.success) return settingsOf(read.output, given, secrets);
  const mask = maskOf(secrets);
  const why = read.issues.map((issue) => mask(sentenceFor(issue))).join(" ");
  return { kind: "refused", why, secrets };
}

const defaultModel = "claude-sonnet-5-5";

function settingsOf(values: InputValues, given: Secrets, secrets: readonly string[]): Settings {
  const [turns, minutes] = [values["max-turns"], values["max-minutes"]];
  const [tokens, costUsd] = [values["max-tokens"], values["max-cost-usd"]];
  return {
    kind: "settings",
    anthropicApiKey: given["anthropic-api-key"] || null,
    anthropicBaseUrl: values["anthropic-base-url"],
    model: values.model ?? defaultModel,
    modelGiven: values.model !== null,
    githubToken: given["github-token"],
    triggerPhrase: values["trigger-phrase"],
    asks: {
      session: values.session,
      answer: values.answer,
      task: values.task,
      target: values.target,
    },
    resolve: values.resolve,
    takeOver: values["take-over"],
    configPath: values.config,
    setup: values.setup,
    checks: values.checks,
    budget: {
      ...(turns === null ? {} : { turns }),
      ...(minutes === null ? {} : { minutes }),
      ...(tokens === null ? {} : { tokens }),
      ...(costUsd === null ? {} : { costUsd }),
    },
    publish: values.publish,
    sessionKey: given["session-key"] || null,
    allowedBots: values["allowed-bots"],
    images: values.images,
    showOutput: values["show-output"],
    durability: values.durability,
    retentionDays: values["retention-days"],
    shipSeconds: values["ship-seconds"],
    onUnsaved: values["on-unsaved"],
    sandbox: values["dangerously-disable-sandbox"] ? "off" : "on",
    secrets,
  };
}

type Issue = v.InferIssue<typeof inputSchema>;

const shownCharactersMax = 80;

function sentenceFor(issue: Issue): string {
  const name = v.getDotPath(issue) ?? "";
  const value = issue.path?.[0]?.value;
  const text = typeof value === "string" ? value : "";
  if (secretInputs.has(name)) return `The input ${name} is not usable: ${issue.message}.`;
  if (text === "") return `The input ${name} is empty: it must be ${issue.message}.`;
  const shown = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
  return `The input ${name} is ${JSON.stringify(shown)}: it must be ${issue.message}.`;
}
