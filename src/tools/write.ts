import { description, maxLength, minLength, pipe, strictObject, string } from "valibot";
import { locate, readBytes, replaceFile } from "./confine.ts";
import { defineTool } from "./define.ts";
import { counted, failed, ok } from "./outcome.ts";
import { words } from "./words.ts";

const contentCharsMax = 1_000_000;
const comparedBytesMax = 8 * 1024 * 1024;

const schema = strictObject({
  path: pipe(string(), minLength(1), description("The file, relative to the workspace.")),
  content: pipe(
    string(),
    maxLength(contentCharsMax),
    description("The whole content, with the line end after the last line."),
  ),
});

export const write = defineTool({
  name: "write",
  description: words.write,
  class: "workspace",
  schema,
  run: async ({ path, content }, context) => {
    const place = await locate(context.root, path, "write");
    if (place.kind === "refused") return failed(place.why);
    if (place.type === "dir") return failed(`${path} is a directory; give the name of a file.`);
    if (place.type === "absent" && path.endsWith("/"))
      return failed(`${path} names a directory; give a file.`);
    const bytes = Buffer.from(content);
    const size = `${counted(lineCount(content), "line")}, ${counted(bytes.length, "byte")}`;
    if (place.type === "absent") {
      await replaceFile(place, bytes, { mode: null });
      return ok(`Created ${path}: ${size}.`);
    }
    const old = await readBytes(place, comparedBytesMax);
    if (old.kind === "refused") return failed(old.why);
    if (old.kind === "large") {
      return failed(
        `${path} has ${counted(old.bytes, "byte")}; delete it in the shell first if it is to be replaced.`,
      );
    }
    if (old.bytes.equals(bytes)) return ok(`${path} already had exactly this content; nothing was changed.`);
    await replaceFile(place, bytes, { mode: old.mode });
    return ok(
      `Replaced ${path}: ${size}; it had ${counted(lineCount(old.bytes.toString("latin1")), "line")}.`,
    );
  },
});

function lineCount(text: string): number {
  const ends = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? ends : ends + 1;
}
