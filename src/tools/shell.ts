import {
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
import { limits } from "../base/limits.ts";
import { locate } from "./confine.ts";
import { defineTool } from "./define.ts";
import { failed, grouped } from "./outcome.ts";
import { type CommandResult, runCommand } from "./process.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";
import { words } from "./words.ts";

/** One argument of a Linux program may have 128 KiB. */
const commandBytesMax = 100_000;
const seconds = { usual: 120, max: 600 } as const;

const schema = strictObject({
  command: pipe(
    string(),
    minLength(1),
    maxLength(commandBytesMax),
    description("Given to `bash -c` (`sh -c` where there is no bash)."),
  ),
  seconds: optional(
    pipe(
      number(),
      integer(),
      minValue(1),
      maxValue(seconds.max),
      description(`Killed after so many seconds. ${seconds.usual} unless given, at most ${seconds.max}.`),
    ),
  ),
  dir: optional(
    pipe(string(), minLength(1), description("Where to run it; the top of the workspace unless given.")),
  ),
});

export const shell = defineTool({
  name: "shell",
  description: words.shell,
  class: "workspace",
  schema,
  run: async (input, context) => {
    const place = await placeFor(input.dir, context);
    if (place.kind === "refused") return failed(place.why);
    const fault = faultOf(input.command);
    if (fault !== null) return failed(fault);
    const limit = input.seconds ?? seconds.usual;
    const result = await runCommand({
      command: input.command,
      cwd: place.dir,
      env: context.env,
      ...(context.apart === undefined ? {} : { prefix: context.apart.drop, pipe: context.apart.pipe }),
      timeoutMs: limit * 1_000,
      signal: context.signal,
      onOutput: context.onOutput,
      hint: (from) => howToReadOn(context.callId ?? "<id of this call>", from),
    });
    return report(result, limit);
  },
});

/** The very call that shows what comes next. */
function howToReadOn(
  id: string,
  { line, column, kept }: { readonly line: number; readonly column: number; readonly kept: boolean },
): string {
  const at = column === 1 ? `"from": ${line}` : `"from": ${line}, "column": ${column}`;
  const most = limits.storedOutputBytesMax / 1024 / 1024;
  return `to go on, read {"path": "output:${id}", ${at}}${kept ? "" : `, where ${most} MiB of it are kept`}`;
}

type Place =
  | { readonly kind: "place"; readonly dir: string }
  | { readonly kind: "refused"; readonly why: string };

/** The top of the workspace is where it is; any other directory has to be looked at, with the rights of commands. */
async function placeFor(dir: string | undefined, { root, apart }: ToolContext): Promise<Place> {
  if (dir === undefined) return { kind: "place", dir: root };
  if (apart !== undefined) throw new Error(`the process that was to run a command may not look into ${dir}`);
  const place = await locate(root, dir, "read");
  if (place.kind === "refused") return place;
  if (place.type === "dir") return { kind: "place", dir: place.real };
  return { kind: "refused", why: `${dir} is not a directory; the command was not run.` };
}

function faultOf(command: string): string | null {
  if (command.includes("\0"))
    return "The command contains a NUL byte, which no program can be given; it was not run.";
  if (Buffer.byteLength(command) <= commandBytesMax) return null;
  return `The command has more than ${grouped(commandBytesMax)} bytes; write it to a file with write and run that.`;
}

/** Says nothing that differs between two runs that did the same: no times, no process ids. */
function report(result: CommandResult, limit: number): ToolOutcome {
  const output = result.output === "" ? "(no output)" : result.output.replace(/\n$/, "");
  const left = result.lingered
    ? "\n[what it left running held its output open and was killed; background processes end with the call]"
    : "";
  const status = result.aborted ? "killed" : result.exitCode === 0 ? "ok" : "error";
  return { status, output: `${output}\n${exit(result, limit)}${left}`, whole: result.whole, plan: null };
}

function exit({ exitCode, signal, timedOut, aborted }: CommandResult, limit: number): string {
  if (aborted) return "[cancelled: it was killed with everything it had started]";
  if (timedOut) {
    const more = limit < seconds.max ? `; more time can be given with "seconds", up to ${seconds.max}` : "";
    return `[timed out after ${limit} s: it was killed with everything it had started${more}]`;
  }
  if (exitCode === null) return `[killed by ${signal ?? "a signal"} before it could report an exit code]`;
  if (signal !== null) return `[exit code ${exitCode}, which is 128 + ${exitCode - 128}: ended by ${signal}]`;
  return `[exit code ${exitCode}]`;
}
