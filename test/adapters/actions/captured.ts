import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../kit/folder.ts";

/** Runs `work` in the environment given and nothing else, and gives what it returns and every line it printed. */
export async function captured<T>(
  env: Readonly<Record<string, string>>,
  work: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly lines: readonly string[] }> {
  const before = { env: process.env, write: process.stdout.write, exitCode: process.exitCode };
  let printed = "";
  process.env = { ...env };
  process.stdout.write = (chunk: string | Uint8Array) => {
    printed += chunk.toString();
    return true;
  };
  try {
    const value = await work();
    return { value, lines: printed.split("\n").filter((line) => line !== "") };
  } finally {
    process.env = before.env;
    process.stdout.write = before.write;
    process.exitCode = before.exitCode;
  }
}

/** The runner's file commands: empty files, with their variables, and what stands in them now. */
export function fileCommands() {
  const folder = newFolder("commands");
  const env: Record<string, string> = {};
  for (const name of ["GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"]) {
    env[name] = join(folder, name);
    writeFileSync(env[name], "");
  }
  const pairs = (name: string): Readonly<Record<string, string>> => {
    const text = readFileSync(join(folder, name), "utf8");
    const found = text.matchAll(/^([\w-]+)<<(ghadelimiter_[\w-]+)\n([\s\S]*?)\n\2$/gm);
    return Object.fromEntries([...found].map(([, key, , value]) => [key, value]));
  };
  return { env, pairs, text: (name: string) => readFileSync(join(folder, name), "utf8") };
}
