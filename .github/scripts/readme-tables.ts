// The README's tables of inputs and outputs, made from action.yml: `--write` puts them in, `--check` says if they differ.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { between } from "./between.ts";

type Described = { readonly description: string; readonly default?: unknown };
type ActionFile = {
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await command(process.argv[2]);

async function command(mode: string | undefined): Promise<void> {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
  const readme = resolve(root, "README.md");
  const before = await readFile(readme, "utf8");
  const after = withTables(before, parse(await readFile(resolve(root, "action.yml"), "utf8")) as ActionFile);
  if (mode === "--write") await writeFile(readme, after);
  else if (mode !== "--check") throw new Error("readme-tables.ts takes --write or --check");
  else if (before !== after) {
    console.error("README.md differs from action.yml: run node .github/scripts/readme-tables.ts --write");
    process.exitCode = 1;
  }
}

/** The text with both tables between their markers as `action` has them. Throws when a marker is missing. */
export function withTables(text: string, action: ActionFile): string {
  return between(between(text, "inputs", inputTable(action.inputs)), "outputs", outputTable(action.outputs));
}

function inputTable(inputs: ActionFile["inputs"]): string {
  const rows = Object.entries(inputs).map(
    ([name, { default: value, description }]) => `| \`${name}\` | ${shown(value)} | ${cell(description)} |`,
  );
  return ["| input | default | |", "|---|---|---|", ...rows].join("\n");
}

function outputTable(outputs: ActionFile["outputs"]): string {
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ["| output | |", "|---|---|", ...rows].join("\n");
}

function shown(value: unknown): string {
  return value === undefined || value === "" ? "" : `\`${cell(String(value))}\``;
}

function cell(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}
