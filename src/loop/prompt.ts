import type { Sha } from "../base/hash.ts";
import { promptText } from "./prompt-text.ts";

export type PromptFacts = {
  /** `owner/name`. */
  readonly repository: string;
  readonly baseSha: Sha;
  /** The branch that the work is based on; null where there is none to name. */
  readonly baseRef: string | null;
  /** Commands that ran before the session's first turn. */
  readonly setup: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly run: string;
    readonly dir: string;
    /** It is run on the base with the tests of the change alone, too. */
    readonly proof?: boolean;
  }[];
  /** A file of the repository at `configSha`: its maintainers' word. */
  readonly instructions: { readonly path: string; readonly text: string } | null;
};

/** The system prompt of a session: the same facts give the same bytes. It is stored once, when the session opens. */
export function systemPrompt(facts: PromptFacts): string {
  const { repository, baseSha, baseRef, setup, checks, instructions } = facts;
  const text = instructions?.text.trim() ?? "";
  return filled({
    repository,
    baseSha,
    baseRef: baseRef ?? "",
    setup: setup.map((command) => `    ${oneLine(command)}`).join("\n"),
    checks: checks.map(checkLine).join("\n"),
    instructionsPath: text === "" ? "" : (instructions?.path ?? ""),
    instructions: text,
  });
}

function checkLine({ name, run, dir, proof = false }: PromptFacts["checks"][number]): string {
  const line = `- ${name}: \`${oneLine(run)}\`${dir === "" ? "" : ` (in ${dir})`}`;
  return proof
    ? `${line}; without your change, but with the tests you add or alter, it has to fail by what they assert`
    : line;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, "; ");
}

/** Values are put in last and in one pass, so that braces inside a value mean nothing. */
function filled(values: Readonly<Record<string, string>>): string {
  const value = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) ?? "";
  const parts = promptText.replaceAll(
    /\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g,
    (_, name: string, part: string) => (value(name) === "" ? "" : part),
  );
  return parts.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => value(name)).trim();
}
