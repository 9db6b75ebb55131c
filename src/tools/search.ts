import {
  boolean,
  description,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  number,
  optional,
  pipe,
  strictObject,
  string,
} from "valibot";
import { defineTool } from "./define.ts";
import { globCharsMax, selectFiles } from "./file-set.ts";
import { flagsFor } from "./matcher.ts";
import { cancelled, failed, ok } from "./outcome.ts";
import { scan } from "./scan.ts";
import { showScan } from "./scan-report.ts";
import { words } from "./words.ts";

const usualLimit = 100;

const schema = strictObject({
  pattern: pipe(
    string(),
    minLength(1),
    maxLength(2_000),
    description(
      "A JavaScript regular expression, compared with one line at a time. Escape what is meant literally.",
    ),
  ),
  path: optional(
    pipe(
      string(),
      minLength(1),
      description("The file or directory to search; the whole workspace unless given."),
    ),
  ),
  glob: optional(
    pipe(
      string(),
      minLength(1),
      maxLength(globCharsMax),
      description("Only files whose name matches, such as `*.ts` or `src/**/*.py`."),
    ),
  ),
  ignoreCase: optional(pipe(boolean(), description("Whether A and a are the same; false unless given."))),
  context: optional(
    pipe(
      number(),
      integer(),
      minValue(0),
      maxValue(20),
      description("How many lines to show before and after each match; 0 unless given."),
    ),
  ),
  limit: optional(
    pipe(
      number(),
      integer(),
      minValue(1),
      maxValue(1_000),
      description(
        `How many matching lines to show; ${usualLimit} unless given. All are counted in any case.`,
      ),
    ),
  ),
});

export const search = defineTool({
  name: "search",
  description: words.search,
  class: "read",
  schema,
  run: async (input, context) => {
    const { pattern, path = ".", ignoreCase = false } = input;
    const flags = flagsFor(pattern, { ignoreCase });
    if (flags.kind === "invalid") {
      return failed(`${flags.why}. Escape characters that are meant literally: . * + ? ( ) [ ] { } ^ $ | \\`);
    }
    const set = await selectFiles({ start: path, glob: input.glob ?? null }, context);
    if (set.kind === "refused") return context.signal.aborted ? cancelled() : failed(set.why);
    const limit = input.limit ?? usualLimit;
    const result = await scan(set.files, { pattern, flags: flags.flags, limit }, context);
    if (context.signal.aborted) return cancelled();
    if (result.kind === "stopped") return failed(result.why);
    return ok(showScan(result, { pattern, limit, around: input.context ?? 0, remarks: set.remarks }));
  },
});
