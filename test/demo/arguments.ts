import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

export type DemoArguments = {
  /** Holds action.yml and dist/. */
  readonly action: string;
  /** Where session, pull request and journal are left. */
  readonly out: string;
  /** The API key of a live run; null when the model is scripted. */
  readonly live: string | null;
};

export type ArgumentsRead =
  | { readonly kind: "arguments"; readonly arguments: DemoArguments }
  | { readonly kind: "refused"; readonly why: string };

export const usage = `npm run demo [-- --live] [-- --action <folder>] [-- --out <folder>]
  --live    ask the real API, with the key in ANTHROPIC_API_KEY, in place of the scripted model
  --action  the folder with action.yml and dist/; this repository unless given
  --out     where session, pull request and journal are left; .demo unless given`;

export function readArguments(
  argv: readonly string[],
  options: { readonly root: string; readonly key: string | undefined },
): ArgumentsRead {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(argv);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  const action = resolve(given.action ?? options.root);
  const entry = join(action, "dist/main/index.js");
  if (!existsSync(entry)) return refused(`${entry} does not exist; run npm run build`);
  const key = options.key ?? "";
  if (given.live && key === "") return refused("--live needs an API key in ANTHROPIC_API_KEY");
  const out = resolve(options.root, given.out ?? ".demo");
  return { kind: "arguments", arguments: { action, out, live: given.live ? key : null } };
}

function parse(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: { live: { type: "boolean" }, action: { type: "string" }, out: { type: "string" } },
    allowPositionals: false,
  });
  return { live: false, ...values };
}

function refused(why: string): ArgumentsRead {
  return { kind: "refused", why: `${why}\n\n${usage}` };
}
