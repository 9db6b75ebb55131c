import { promises as fs } from "node:fs";
import {
  description,
  integer,
  maxValue,
  minLength,
  minValue,
  number,
  optional,
  pipe,
  strictObject,
  string,
} from "valibot";
import { locate, type Place, readBytes } from "./confine.ts";
import { defineTool } from "./define.ts";
import { fileKind } from "./file-kind.ts";
import { nearestNames } from "./nearest.ts";
import { counted, failed, grouped, ok } from "./outcome.ts";
import { type Range, showPage } from "./page.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";
import { words } from "./words.ts";

const linesUsual = 2_000;
const fileBytesMax = 32 * 1024 * 1024;
const entriesMax = 500;

const schema = strictObject({
  path: pipe(
    string(),
    minLength(1),
    description(
      "A file or directory, relative to the workspace; or `output:<call id>` for the whole output of an earlier call.",
    ),
  ),
  from: optional(
    pipe(number(), integer(), minValue(1), description("The first line to show; 1 unless given.")),
  ),
  column: optional(
    pipe(
      number(),
      integer(),
      minValue(1),
      description("The character of that line to begin with, where it is too long to be shown at once."),
    ),
  ),
  lines: optional(
    pipe(
      number(),
      integer(),
      minValue(1),
      maxValue(100_000),
      description(`How many lines to show; ${linesUsual} unless given.`),
    ),
  ),
});

export const read = defineTool({
  name: "read",
  description: words.read,
  class: "read",
  schema,
  run: async ({ path, from = 1, column = 1, lines = linesUsual }, context) => {
    if (path.startsWith("output:")) return readOutput(path, { from, column, lines }, context);
    const place = await locate(context.root, path, "read");
    if (place.kind === "refused") return failed(place.why);
    if (place.type === "dir") return listDirectory(place);
    if (place.type === "absent") {
      return failed(`${path} does not exist.${await nearestNames(context.root, path, context)}`);
    }
    return readFile(place, { path, from, column, lines });
  },
});

function readOutput(path: string, range: Range, context: ToolContext): ToolOutcome {
  if (context.attachment === null) {
    return failed(
      `There is no ${path}: only an output whose middle was cut is kept whole, by the id of its call.`,
    );
  }
  return showPage(context.attachment, { name: path, ...range });
}

async function readFile(
  place: Place,
  { path, ...range }: Range & { readonly path: string },
): Promise<ToolOutcome> {
  const file = await readBytes(place, fileBytesMax);
  if (file.kind === "refused") return failed(file.why);
  if (file.kind === "large") {
    const size = counted(file.bytes, "byte");
    return failed(
      `${path} has ${size}, too many to read here. In the shell, \`sed -n 1,200p\` shows a part of it.`,
    );
  }
  const kind = fileKind(file.bytes);
  if (kind.kind === "binary") {
    return ok(
      `${path} is a binary file (${kind.guess}) of ${counted(file.bytes.length, "byte")}; it is not shown.`,
    );
  }
  return showPage(file.bytes, { name: path, ...range });
}

async function listDirectory(place: Place): Promise<ToolOutcome> {
  const entries = await fs.readdir(place.real, { withFileTypes: true });
  const name = place.path === "" ? "The workspace" : place.path;
  if (entries.length === 0) return ok(`${name} is an empty directory.`);
  const names = entries
    .map((entry) => `${entry.name}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? " (link)" : ""}`)
    .sort();
  const shown = names.slice(0, entriesMax);
  const cut = names.length - shown.length;
  const more = cut > 0 ? [`[${grouped(cut)} more; glob shows the names that match a pattern]`] : [];
  return ok(
    [`${name} is a directory with ${counted(names.length, "entry", "entries")}:`, ...shown, ...more].join(
      "\n",
    ),
  );
}
