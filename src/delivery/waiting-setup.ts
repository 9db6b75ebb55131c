import type { Digest } from "../base/hash.ts";
import { type DependencyFile, howItChanged, whyToLook } from "../gate/dependencies/dependencies.ts";
import { isOfSetup } from "../session/approvals.ts";
import { packageList } from "./dependencies.ts";
import { type Exact, exactText, takenOutNote } from "./exact-json.ts";
import { codeBlock, codeSpan, neutralCell, pathSpan } from "./neutral.ts";

/** What setup would run, and in which files of the change: the arguments of its approval, as JSON. */
export type AskedSetup = {
  readonly commands: readonly string[];
  /** Names of the job's variables that are passed on to them. */
  readonly env: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly status: "added" | "modified" | "deleted";
    /** As git has it, null for a deleted file. */
    readonly mode: string | null;
    /** Of the file as the change has it, null for a deleted one. */
    readonly sha256: Digest | null;
    /** What changes in it, null where that is too long to be read here, or no text. */
    readonly patch: string | null;
  }[];
  /** What they would have it install otherwise. */
  readonly packages: readonly DependencyFile[];
};

/** What a job summary shows of the patch, where a comment has no room for it. */
const summaryCharactersMax = 60_000;

/** The same for the job summary of the run that asks. */
export function setupSummary(
  call: { readonly id: string; readonly why: string },
  asked: AskedSetup,
  { triggerPhrase }: { readonly triggerPhrase: string },
): string {
  return setupShown(call, asked, { max: summaryCharactersMax, triggerPhrase })
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Null for a call of the model. */
export function askedSetup(call: { readonly tool: string; readonly arguments: string }): AskedSetup | null {
  // Only ever what the gate wrote into a log that was proved.
  return isOfSetup(call) ? (JSON.parse(call.arguments) as AskedSetup) : null;
}

/** The commands, exactly, and what they would find otherwise than on base; as much of it as `max` characters hold. */
export function setupShown(
  { id, why }: { readonly id: string; readonly why: string },
  asked: AskedSetup,
  { max, triggerPhrase }: { readonly max: number; readonly triggerPhrase: string },
): readonly string[] {
  const { files, packages } = asked;
  const block = (text: string, info: string): string =>
    codeBlock(text.split("\n"), info, triggerPhrase).join("\n");
  const { commands, patch, takenOut } = exactly(asked);
  const kept = patch.length <= max ? patch : patch.slice(0, max).replace(/[\ud800-\udbff]$/, "");
  const unread = files.filter((file) => file.patch === null).map(({ path }) => pathSpan(path));
  const given = asked.env.length === 0 ? "without secrets" : "with variables of the job";
  const hidden = takenOutNote(takenOut.places, takenOut.parts.map(pathSpan));
  return [
    `Setup ${codeSpan(id)} waits because ${neutralCell(why, 200)}. These commands would run, with network and ${given}:`,
    block(commands, "sh"),
    variablesNote(asked.env.map((name) => codeSpan(name))),
    hidden === "" ? "" : `**${hidden}**`,
    `They would find the base with these files of the change, and nothing else of it: ${files.map((file) => `${pathSpan(file.path)} (${file.status})`).join(", ")}.`,
    packageList(packages),
    `What changes in these files, exactly, with ${codeSpan("\\u")} for what has no shape and ${codeSpan("\u2937")} where a line goes on:`,
    kept === "" ? "" : block(kept, "diff"),
    kept.length === patch.length ? "" : cutNote(kept.length, patch.length),
    unread.length === 0 ? "" : `Not shown, because it is too long or no text: ${unread.join(", ")}.`,
    "An approval is for exactly these commands, variables and files: the same are not asked about again, and any others are.",
  ];
}

/** Their names say nothing of a secret; what is in them only the job knows. */
function variablesNote(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `They would have these variables of the job, as the configuration says, and whatever they run could send them anywhere: ${names.join(", ")}.`;
}

type Exactly = {
  readonly commands: string;
  /** Of all files, short ones first: they say what is wanted, and the long ones are lock files. */
  readonly patch: string;
  readonly takenOut: { readonly places: number; readonly parts: readonly string[] };
};

function exactly({ commands, files }: AskedSetup): Exactly {
  const run: Exact = exactText(commands.join("\n"));
  const patches = files
    .flatMap(({ path, patch }) => (patch === null ? [] : [{ path, ...exactText(patch.trimEnd()) }]))
    .toSorted((one, other) => one.text.length - other.text.length);
  const places = patches.reduce((sum, { takenOut }) => sum + takenOut, run.takenOut);
  const parts = patches.flatMap(({ path, takenOut }) => (takenOut === 0 ? [] : [path]));
  return {
    commands: run.text,
    patch: patches.map(({ text }) => text).join("\n"),
    takenOut: { places, parts },
  };
}

function cutNote(kept: number, whole: number): string {
  const more = kept < summaryCharactersMax ? " The summary of the run that asked shows more." : "";
  return `(Cut here: ${kept} of ${whole} characters are shown.${more} Who allows it allows all of it.)`;
}

/** The same for a terminal. */
export function setupLines(asked: AskedSetup): readonly string[] {
  const { files, packages, env } = asked;
  const { commands, patch, takenOut } = exactly(asked);
  const notes = [
    variablesNote(env.map(shownName)),
    takenOutNote(takenOut.places, takenOut.parts.map(shownName)),
  ];
  return [
    ...commands.split("\n").map((line) => `  ${line}`),
    ...notes.filter((note) => note !== ""),
    `on the base with these files of the change alone: ${files.map(({ path }) => shownName(path)).join(", ")}`,
    ...packages.flatMap(packageLines),
    ...patch.split("\n"),
    ...files
      .filter(({ patch }) => patch === null)
      .map(({ path }) => `${shownName(path)}: not shown, because it is too long or no text`),
  ];
}

function shownName(name: string): string {
  return exactText(name).text;
}

const packageLinesMax = 50;

function packageLines({ path, packages, origins }: DependencyFile): readonly string[] {
  const lines = [
    ...origins.map((one) => `look closely at ${one.name}: ${whyToLook(one)}`),
    ...packages.map((one) => `${one.name}: ${howItChanged(one)}`),
  ];
  const left = lines.length - packageLinesMax;
  const shown = left > 0 ? [...lines.slice(0, packageLinesMax), `and ${left} more`] : lines;
  return shown.map((line) => shownName(`  ${path}: ${line}`));
}
