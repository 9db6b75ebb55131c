import { type GenericSchema, safeParse } from "valibot";
import { explain } from "./arguments.ts";
import { cancelled, failed } from "./outcome.ts";
import type { Tool } from "./tool.ts";

/**
 * Makes a tool that anyone may call with unknown arguments: they are checked again here, and what the file system
 * refuses becomes an outcome that the model can act on. Every other throw is a fault of ours and goes on.
 */
export function defineTool<Schema extends GenericSchema>(tool: Tool<Schema>): Tool {
  return {
    ...tool,
    run: async (input, context) => {
      const checked = safeParse(tool.schema, input);
      if (!checked.success) return failed(explain(tool.schema, checked.issues));
      try {
        return await tool.run(checked.output, context);
      } catch (error) {
        if (context.signal.aborted) return cancelled();
        const why = systemRefusal(error);
        if (why === null) throw error;
        return failed(why);
      }
    },
  };
}

const meanings: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only there",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "no space is left in the quota",
  ENOENT: "it is gone",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EEXIST: "it exists already",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "a link stands where a file was",
  EMFILE: "too many files are open",
  ETXTBSY: "it is being executed",
  EBUSY: "it is busy",
};

function systemRefusal(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return null;
  const code = String(error.code);
  return `The system refused (${String(error.syscall)}): ${meanings[code] ?? "see the code"} (${code}).`;
}
