import { boolean, description, maxLength, minLength, optional, pipe, strictObject, string } from "valibot";
import { locate, readBytes, replaceFile } from "./confine.ts";
import { defineTool } from "./define.ts";
import { nearestNames } from "./nearest.ts";
import { nearestText } from "./nearest-text.ts";
import { counted, failed, grouped, ok } from "./outcome.ts";
import { replaceText } from "./replacement.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";
import { words } from "./words.ts";

const fileBytesMax = 16 * 1024 * 1024;
const textCharsMax = 1_000_000;
const linesNamedMax = 20;

const schema = strictObject({
  path: pipe(string(), minLength(1), description("The file, relative to the workspace. It must exist.")),
  old: pipe(
    string(),
    minLength(1),
    maxLength(textCharsMax),
    description("The text to replace, exactly as in the file, blanks included, without line numbers."),
  ),
  new: pipe(string(), maxLength(textCharsMax), description("What to put in its place; empty to delete it.")),
  all: optional(pipe(boolean(), description("Replace every occurrence; else there must be exactly one."))),
});

export const edit = defineTool({
  name: "edit",
  description: words.edit,
  class: "workspace",
  schema,
  run: async (input, context) => {
    const place = await locate(context.root, input.path, "write");
    if (place.kind === "refused") return failed(place.why);
    if (place.type === "absent") return absent(input.path, context);
    if (place.type === "dir") return failed(`${input.path} is a directory; give a file.`);
    if (input.old === input.new) return failed("old and new are the same text; nothing was changed.");
    const file = await readBytes(place, fileBytesMax);
    if (file.kind === "refused") return failed(file.why);
    if (file.kind === "large") {
      return failed(
        `${input.path} has ${counted(file.bytes, "byte")}, too many for edit; use sed in the shell.`,
      );
    }
    const result = replaceText(file.bytes, { old: input.old, new: input.new, all: input.all ?? false });
    switch (result.kind) {
      case "replaced":
        await replaceFile(place, result.bytes, { mode: file.mode });
        return ok(
          `Edited ${input.path}: ${counted(result.lines.length, "replacement")} at ${named(result.lines)}.`,
        );
      case "same":
        return failed("With the line ends of the file, old and new are the same text; nothing was changed.");
      case "many":
        return failed(
          `old occurs ${grouped(result.lines.length)} times in ${input.path}, at ${named(result.lines)}; nothing was ` +
            "changed. Take in more lines around the one you mean, or set all to replace every one.",
        );
      case "none":
        return failed(
          `${notFound(input.path, file.bytes)}\n${nearestText(file.bytes.toString("utf8"), input.old)}`,
        );
    }
  },
});

function notFound(path: string, bytes: Buffer): string {
  return bytes.length === 0
    ? `${path} is empty; nothing was changed. Use write to give it content.`
    : `old does not occur in ${path}; nothing was changed.`;
}

async function absent(path: string, context: ToolContext): Promise<ToolOutcome> {
  const names = await nearestNames(context.root, path, context);
  return failed(`${path} does not exist; write creates files.${names}`);
}

function named(lines: readonly number[]): string {
  const first = lines.slice(0, linesNamedMax).join(", ");
  const more = lines.length - linesNamedMax;
  return `${lines.length === 1 ? "line" : "lines"} ${first}${more > 0 ? ` and ${grouped(more)} more` : ""}`;
}
