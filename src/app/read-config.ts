import { cutText } from "../command/untrusted.ts";
import type { Check } from "../gate/checks.ts";
import { type Config, noConfig, readConfig } from "../gate/config.ts";
import type { ParsedFile } from "../gate/config-refusal.ts";
import { guessConfig } from "../gate/guess.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Parses YAML; a refusal says `file:line: what`. */
export type ParseYaml = (
  bytes: Uint8Array,
  source: string,
) => ({ readonly kind: "parsed" } & ParsedFile) | { readonly kind: "refused"; readonly why: string };

export type ConfigRead =
  | { readonly kind: "config"; readonly config: Config }
  /** `guess` is a complete file to start from, where the repository declares no checks. */
  | {
      readonly kind: "refused";
      readonly code: "config" | "no-checks";
      readonly why: string;
      readonly guess: string | null;
    };

/** The configuration at `configSha`, never of the work; the inputs `setup` and `checks` stand in for the file's. */
export async function configOf(
  workspace: Workspace,
  options: {
    readonly path: string;
    readonly setup: readonly string[] | null;
    readonly checks: readonly Check[] | null;
    readonly parseYaml: ParseYaml;
  },
): Promise<ConfigRead> {
  const { path } = options;
  const read = await fileConfig(workspace, path, options.parseYaml);
  if (read.kind === "refused") return read;
  const config: Config = {
    ...read.config,
    setup: options.setup ?? read.config.setup,
    checks: options.checks ?? read.config.checks,
  };
  if (config.checks.length > 0) return { kind: "config", config };
  const why = `${path} declares no checks at ${workspace.configSha}, so nothing could be verified; commit the file with your checks to the default branch`;
  return { kind: "refused", code: "no-checks", why, guess: await guessConfig(workspace) };
}

async function fileConfig(workspace: Workspace, path: string, parseYaml: ParseYaml): Promise<ConfigRead> {
  const bytes = await workspace.file(path);
  if (bytes === null) return { kind: "config", config: noConfig };
  const parsed = parseYaml(bytes, path);
  const read = parsed.kind === "refused" ? parsed : readConfig(parsed, path);
  return read.kind === "refused" ? { ...read, code: "config", guess: null } : read;
}

const instructionFiles = ["AGENTS.md", "CLAUDE.md"];
const instructionBytesMax = 32 * 1024;

/**
 * The maintainers' word to the model: the files that the configuration names, else the first that exists, as they are
 * at `configSha`. One that is too long says at its end how much of it is missing.
 */
export async function instructionsOf(
  workspace: Pick<Workspace, "file">,
  config: Pick<Config, "instructions">,
): Promise<{ readonly path: string; readonly text: string } | null> {
  const found: { path: string; text: string }[] = [];
  for (const path of config.instructions ?? instructionFiles) {
    const bytes = await workspace.file(path);
    if (bytes === null) continue;
    found.push({ path, text: cutText(new TextDecoder().decode(bytes), instructionBytesMax).text });
    if (config.instructions === null) break;
  }
  if (found.length === 0) return null;
  return {
    path: found.map((file) => file.path).join(", "),
    text: found.map((file) => file.text).join("\n\n"),
  };
}
