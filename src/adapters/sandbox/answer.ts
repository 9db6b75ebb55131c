import {
  array,
  boolean,
  type GenericSchema,
  integer,
  literal,
  nullable,
  number,
  object,
  picklist,
  pipe,
  safeParse,
  string,
  variant,
} from "valibot";
import type { Answer } from "./protocol.ts";

const id = pipe(number(), integer());
const names = array(string());

const answer = variant("type", [
  object({ type: literal("ready") }),
  object({ type: literal("output"), id, text: string() }),
  object({
    type: literal("outcome"),
    id,
    status: picklist(["ok", "error", "killed"]),
    output: string(),
    whole: nullable(string()),
    plan: nullable(array(object({ text: string(), status: picklist(["open", "doing", "done"]) }))),
  }),
  object({
    type: literal("ended"),
    id,
    exitCode: nullable(pipe(number(), integer())),
    timedOut: boolean(),
    cancelled: boolean(),
    ms: number(),
    output: string(),
  }),
  object({
    type: literal("probed"),
    id,
    reached: object({
      process: boolean(),
      files: names,
      written: names,
      port: boolean(),
      abstractSocket: boolean(),
      supervisor: boolean(),
      privileges: boolean(),
      devices: names,
      loopback: boolean(),
    }),
  }),
]) satisfies GenericSchema<unknown, Answer>;

/** Null unless the line is an answer. Its texts are untrusted; their lengths are bounded by that of the line. */
export function parseAnswer(line: string): Answer | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = safeParse(answer, value);
  return parsed.success ? parsed.output : null;
}
