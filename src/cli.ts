import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { helpText, readArguments } from "./wire/local-arguments.ts";
import { localPlaces } from "./wire/local-places.ts";
import { version } from "./wire/version.ts";

// What only asks loads nothing heavy: verify reads two files, help none.
const words = process.argv.slice(2);
const entry = realpathSync(process.argv[1] ?? ".");
/** So much may wait to be read before nothing more is said that may be left out. */
const behindBytes = 256 * 1024;
const byNpm = process.env["npm_lifecycle_event"] === "cli";
/** npm runs its scripts in the folder of the package, wherever it was called. */
const cwd = (byNpm ? process.env["INIT_CWD"] : undefined) ?? process.cwd();
/** How the command line was called, for the commands that it suggests. */
const program = byNpm ? "npm run cli --" : `node ${path.relative(cwd, entry) || entry}`;

async function run(): Promise<number> {
  const command = readArguments(words);
  switch (command.kind) {
    case "help":
      return say([helpText], 0);
    case "version":
      return say([version], 0);
    case "unusable":
      return say([`${command.why}.`, `${program} help shows them all.`], 2);
    case "verify": {
      const { verifySession } = await import("./wire/local-verify.ts");
      const answer = await verifySession(command.what, { places: placesFor(command.sessions), cwd });
      return say(answer.lines, answer.exit);
    }
    case "run":
    case "resume": {
      const apiKey = takeKey();
      const { runLocally } = await import("./wire/local-run.ts");
      return runLocally(command, {
        cwd,
        places: placesFor(command.sessions),
        env: process.env,
        apiKey,
        toolhost: path.join(path.dirname(entry), "../toolhost"),
        program,
        flags: command.sessions === null ? "" : ` --sessions ${quoted(command.sessions)}`,
        write: (text) => process.stdout.write(text),
        isBehind: () => process.stdout.writableLength > behindBytes,
      });
    }
  }
}

function say(lines: readonly string[], exit: number): number {
  process.stdout.write(`${lines.join("\n")}\n`);
  return exit;
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Out of the environment, so that nothing that is started inherits it. */
function takeKey(): string | null {
  const key = process.env["ANTHROPIC_API_KEY"]?.trim();
  delete process.env["ANTHROPIC_API_KEY"];
  return key === undefined || key === "" ? null : key;
}

function placesFor(sessions: string | null) {
  const given = sessions === null ? null : path.resolve(cwd, sessions);
  return localPlaces(given, { stateHome: process.env["XDG_STATE_HOME"], home: homedir() });
}

process.stdout.on("error", () => undefined);
const exit = await run();
// Written before it ends, and ended although a timer or a socket is left.
process.stdout.write("", () => process.exit(exit));
