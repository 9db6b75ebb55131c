import { guessFrom, type Manifests } from "./manifests.ts";

/**
 * The text of a complete `agent.yml`, guessed from the manifests of the repository, for a person to read and commit.
 * Only shown, never run and never used as configuration. Made of our own words: from the files come only facts, such
 * as whether a script exists.
 */
export async function guessConfig(manifests: Manifests): Promise<string> {
  const guess = await guessFrom(manifests);
  const checks =
    guess.checks.length > 0
      ? guess.checks
      : [{ name: "test", run: "false", note: "replace with the command that runs your tests" }];
  const lines = [
    "# How Baton prepares this repository and checks its own work. Save as .github/agent.yml.",
    ...(guess.setup.length > 0
      ? [
          "# Runs with network access, on the untouched base commit, before the work begins.",
          "setup:",
          ...guess.setup.map((command) => `  - ${scalar(command)}`),
        ]
      : []),
    "# Run without network on base and on the result; nothing is published unless these pass.",
    "checks:",
    ...checks.map(
      ({ name, run, note }) =>
        `  - { name: ${scalar(name)}, run: ${scalar(run)}, minutes: 10 }${note === undefined ? "" : ` # ${note}`}`,
    ),
    ...(guess.protected.length > 0
      ? [
          "# May change, but the pull request points it out.",
          "protected:",
          ...guess.protected.map((path) => `  - ${scalar(path)}`),
        ]
      : []),
    "budget: { turns: 60, minutes: 50, cost-usd: 5 }",
  ];
  return `${lines.join("\n")}\n`;
}

/** Plain where that is surely the same text, else double quotes: every JSON string is a YAML one. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z./][A-Za-z0-9 ._/=-]*$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|\.nan|\.inf)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
