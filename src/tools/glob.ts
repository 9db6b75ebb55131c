import { description, maxLength, minLength, optional, pipe, strictObject, string } from "valibot";
import { limits } from "../base/limits.ts";
import { defineTool } from "./define.ts";
import { globCharsMax, selectFiles } from "./file-set.ts";
import { counted, failed, grouped, ok } from "./outcome.ts";
import { namesMax, words } from "./words.ts";

const schema = strictObject({
  pattern: pipe(
    string(),
    minLength(1),
    maxLength(globCharsMax),
    description(
      "Such as `**/*.test.ts`, `src/{app,loop}/*.ts` or `Makefile`. Without a slash: in every directory.",
    ),
  ),
  path: optional(
    pipe(string(), minLength(1), description("The directory to look in; the whole workspace unless given.")),
  ),
});

export const glob = defineTool({
  name: "glob",
  description: words.glob,
  class: "read",
  schema,
  run: async ({ pattern, path = "." }, context) => {
    const set = await selectFiles({ start: path, glob: pattern }, context);
    if (set.kind === "refused") return failed(set.why);
    const names = [...set.files, ...set.links.map((link) => `${link} (link)`)].sort();
    if (names.length === 0) {
      return ok([`No file matches ${pattern} in ${path}.`, ...set.remarks].join("\n"));
    }
    const shown: string[] = [];
    let bytes = 0;
    for (const name of names.slice(0, namesMax)) {
      bytes += Buffer.byteLength(name) + 1;
      if (bytes > limits.modelOutputBytesMax - 1024) break;
      shown.push(name);
    }
    const cut = names.length - shown.length;
    const more =
      cut > 0 ? [`[${counted(cut, "more name")} of ${grouped(names.length)}; narrow the pattern]`] : [];
    return ok([...shown, ...more, ...set.remarks].join("\n"));
  },
});
