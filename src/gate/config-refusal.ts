import type * as v from "valibot";
import { printable } from "../base/printable.ts";

/** A parsed file. `line` gives the line, from 1, on which the value at `path` (or its key) stands. */
export type ParsedFile = {
  readonly value: unknown;
  readonly line: (path: readonly (string | number)[]) => number | null;
};

export type ConfigRefused = { readonly kind: "refused"; readonly why: string };

/** The keys of each mapping in the file. */
export const keysOf = {
  config: [
    "env",
    "setup",
    "checks",
    "protected",
    "tamper",
    "already-red",
    "unproved",
    "baseline",
    "limits",
    "instructions",
    "approve",
    "budget",
  ],
  check: ["name", "run", "minutes", "proof", "dir", "network"],
  limits: ["files", "bytes", "file-bytes"],
  budget: ["turns", "minutes", "tokens", "cost-usd"],
} as const;

/** `file:line: what is wrong; what is allowed`. */
export function refusal(issue: v.BaseIssue<unknown>, parsed: ParsedFile, source: string): ConfigRefused {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  return { kind: "refused", why: `${standsAt(path, parsed, source)}${whatIsWrong(issue, path)}` };
}

function whatIsWrong(issue: v.BaseIssue<unknown>, path: readonly (string | number)[]): string {
  if (issue.type !== "strict_object") return `${dotted(path)}: ${issue.message}, got ${shown(issue.input)}`;
  const key = printable(String(path.at(-1)));
  if (issue.expected !== "never") return `${dotted(path.slice(0, -1))}: the key \`${key}\` is missing`;
  return `unknown key \`${key}\`; allowed: ${keysAt(path).join(", ")}`;
}

/** The keys that are allowed beside the one at the end of the path. */
function keysAt(path: readonly (string | number)[]): readonly string[] {
  if (path.length === 1) return keysOf.config;
  if (path[0] === "limits") return keysOf.limits;
  return path[0] === "budget" ? keysOf.budget : keysOf.check;
}

/** Of the value at the path, or of what it stands in. */
export function standsAt(path: readonly (string | number)[], parsed: ParsedFile, source: string): string {
  for (let length = path.length; length >= 0; length--) {
    const line = parsed.line(path.slice(0, length));
    if (line !== null) return `${source}:${line}: `;
  }
  return `${source}: `;
}

/** `checks[1].run`, counted from 1 as a reader does. */
function dotted(path: readonly (string | number)[]): string {
  const text = path
    .map((part) => (typeof part === "number" ? `[${part + 1}]` : `.${printable(part)}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "the file" : text;
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${printable(value)}"`;
  if (Array.isArray(value)) return "a list";
  if (value === null || value === undefined) return "nothing";
  return typeof value === "object" ? "keys and values" : printable(String(value));
}
