import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toolNamed } from "../../src/tools/all.ts";
import type { ToolContext, ToolOutcome } from "../../src/tools/tool.ts";
import { newFolder } from "../kit/folder.ts";

/** A workspace in a temporary directory, and the tools to use in it. */
export type ToolBench = Disposable & {
  readonly root: string;
  readonly put: (files: Readonly<Record<string, string | Uint8Array>>) => void;
  readonly use: (tool: string, input: unknown, context?: Partial<ToolContext>) => Promise<ToolOutcome>;
};

export function givenWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): ToolBench {
  const base = newFolder("tools");
  const root = path.join(base, "ws");
  const tmp = path.join(base, "tmp");
  mkdirSync(root);
  mkdirSync(tmp);
  const put = (more: Readonly<Record<string, string | Uint8Array>>): void => {
    for (const [name, content] of Object.entries(more)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), content);
    }
  };
  put(files);
  const context: ToolContext = {
    root,
    tmp,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: tmp, LANG: "C.UTF-8" },
    signal: new AbortController().signal,
    onOutput: () => {},
    attachment: null,
  };
  return {
    root,
    put,
    use: async (name, input, more = {}) => {
      const tool = toolNamed(name);
      if (tool === null) throw new Error(`no tool is named ${name}`);
      return tool.run(input, { ...context, ...more });
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}
