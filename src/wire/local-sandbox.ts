import path from "node:path";
import type { RoomsOptions } from "./rooms.ts";

/** What of this machine a sandbox of the command line shows: not the home directory, but the programs on PATH in it. */
export function localSandbox(options: {
  readonly toolhost: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly path: string;
  readonly repository: string;
  readonly sessions: string;
}): RoomsOptions["ground"] {
  const { env, repository, sessions } = options;
  const home = env["HOME"];
  const homes = home !== undefined && path.isAbsolute(home) ? [home] : [];
  return {
    node: process.execPath,
    toolhost: { dir: options.toolhost, entry: "index.js" },
    path: options.path,
    lang: env["LANG"] ?? null,
    masked: [...homes, repository, sessions],
    visible: homes.flatMap((dir) => programsBelow(dir, options.path)),
  };
}

/**
 * Directories of PATH below `home`. Deep ones are shown with what they were installed with, as
 * `.nvm/versions/node/v24`; of `.local/bin` or `.cargo/bin` only the programs, since keys may lie beside them.
 */
function programsBelow(home: string, searched: string): readonly string[] {
  return searched.split(path.delimiter).flatMap((dir) => {
    const below = path.relative(home, dir);
    if (!path.isAbsolute(dir) || below === "" || below.startsWith("..")) return [];
    const parts = below.split(path.sep);
    return [parts.length > 3 && parts.at(-1) === "bin" ? path.dirname(dir) : dir];
  });
}
