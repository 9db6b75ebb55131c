// The README's tables of inputs and outputs, made from action.yml: `--write` puts them in, `--check` says if they differ.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

if (process.argv[1] === fileURLToPath(import.meta.url)) await command(process.argv[2]);

async function command(mode) {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
  const readme = resolve(root, "README.md");
  const before = await readFile(readme, "utf8");
  const after = withTables(before, parse(await readFile(resolve(root, "action.yml"), "utf8")));
  if (mode === "--write") await writeFile(readme, after);
  else if (mode !== "--check") throw new Error("readme-tables.mjs takes --write or --check");
  else if (before !== after) {
    console.error("README.md differs from action.yml: run node .github/scripts/readme-tables.mjs --write");
    process.exitCode = 1;
  }
}

/** The text with both tables between their markers as `action` has them. Throws when a marker is missing. */
export function withTables(text, action) {
  return between(between(text, "inputs", inputTable(action.inputs)), "outputs", outputTable(action.outputs));
}

function between(text, name, table) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`;
}

function inputTable(inputs) {
  const rows = Object.entries(inputs).map(
    ([name, { default: value, description }]) => `| \`${name}\` | ${shown(value)} | ${cell(description)} |`,
  );
  return ["| input | default | |", "|---|---|---|", ...rows].join("\n");
}

function outputTable(outputs) {
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ["| output | |", "|---|---|", ...rows].join("\n");
}

function shown(value) {
  return value === undefined || value === "" ? "" : `\`${cell(String(value))}\``;
}

function cell(text) {
  return text.trim().replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}
