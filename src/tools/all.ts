import { ask } from "./ask.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { plan } from "./plan.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { shell } from "./shell.ts";
import type { Tool } from "./tool.ts";
import { write } from "./write.ts";

/** In the order the model is told of them. The order is part of what is cached and digested: add at the end. */
export const tools: readonly Tool[] = [read, search, glob, edit, write, shell, plan, ask];

export function toolNamed(name: string): Tool | null {
  return tools.find((tool) => tool.name === name) ?? null;
}
