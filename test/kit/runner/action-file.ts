import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

export interface ActionFile {
  readonly using: string;
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
  /** Input names as declared, with their defaults; an input without one has the empty default. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputs: readonly string[];
}

/** Reads the `action.yml` (or `action.yaml`) of a JavaScript action. Throws if it is none. */
export async function readActionFile(actionDir: string): Promise<ActionFile> {
  const value = parse(await readEither(actionDir)) as {
    readonly inputs?: Record<string, { readonly default?: unknown } | null>;
    readonly outputs?: Record<string, unknown>;
    readonly runs?: Record<string, string>;
  };
  const runs = value.runs ?? {};
  const { using = "", main, pre, post } = runs;
  if (pre !== undefined) throw new Error(`${actionDir}: runs.pre is not supported by this runner`);
  if (!/^node(20|24)$/.test(using))
    throw new Error(`${actionDir}: runs.using is ${using}, not a supported node`);
  if (!main) throw new Error(`${actionDir}: runs.main is missing`);
  const inputs = Object.entries(value.inputs ?? {}).map(([name, input]) => {
    const given = input?.default;
    return [name, given === undefined || given === null ? "" : String(given)] as const;
  });
  const outputs = Object.keys(value.outputs ?? {});
  return { using, main, post, postIf: runs["post-if"] ?? "always()", inputs: new Map(inputs), outputs };
}

export interface ResolvedInputs {
  /** `INPUT_*` variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The runner's warning about inputs that the action does not declare. */
  readonly warning: string | undefined;
}

/**
 * Gives each input its value: what the workflow says, else the default. `${{ github.token }}` is
 * evaluated in defaults, and only there: a value given by the workflow has been evaluated before.
 */
export function resolveInputs(
  action: ActionFile,
  given: Readonly<Record<string, string>>,
  githubToken: string,
): ResolvedInputs {
  const values = new Map<string, string>();
  for (const [name, fallback] of action.inputs)
    values.set(variableOf(name), evaluate(fallback, githubToken, name));
  for (const [name, value] of Object.entries(given)) values.set(variableOf(name), value);
  const declared = new Set([...action.inputs.keys()].map((name) => name.toLowerCase()));
  const unexpected = Object.keys(given).filter((name) => !declared.has(name.toLowerCase()));
  const list = (names: Iterable<string>) => `'${[...names].join("', '")}'`;
  const warning = `Unexpected input(s) ${list(unexpected)}, valid inputs are [${list(action.inputs.keys())}]`;
  return { env: Object.fromEntries(values), warning: unexpected.length > 0 ? warning : undefined };
}

function variableOf(name: string): string {
  return `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`;
}

function evaluate(text: string, githubToken: string, name: string): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression === "github.token") return githubToken;
    throw new Error(`the default of input ${name} uses ${expression}, which this runner does not evaluate`);
  });
}

async function readEither(actionDir: string): Promise<string> {
  try {
    return await readFile(join(actionDir, "action.yml"), "utf8");
  } catch {
    return readFile(join(actionDir, "action.yaml"), "utf8");
  }
}
