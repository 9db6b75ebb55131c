import { cp, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { sandboxKinds } from "../src/adapters/sandbox/kind.ts";
import { newFolder } from "../test/kit/folder.ts";
import { damages, type State } from "./crash-damage.ts";
import { type After, killed, resumed } from "./crash-run.ts";
import { kills, makePlace, type Place } from "./crash-world.ts";

// What is left when Baton's command line is killed in the middle of call 10 of 12, and what a resume makes of it:
// `npm run bench:crash [-- --kills tree,agent,term,int,none] [--states plain,torn,…] [--cli <file>]`.
// A line for each resume on stdout, and one JSON line at the end. Nothing is timed and nothing is judged.

const { values: options } = parseArgs({
  options: {
    kills: { type: "string", default: kills.join(",") },
    states: { type: "string", default: Object.keys(damages).join(",") },
    cli: { type: "string", default: path.resolve(import.meta.dirname, "../dist/cli/index.js") },
  },
});
const sandbox = (await sandboxKinds()).kind === "some";
const program = { cli: options.cli, sandbox };
if (!sandbox)
  say("No sandbox can be made here: every call counts as external, and one in doubt needs a person.");

type Row = After & { readonly kill: string; readonly state: State; readonly survivors: number };

const rows: Row[] = [];
const exits: Record<string, number | string | null> = {};
const dir = newFolder("crash");
for (const kill of kills.filter((name) => options.kills.split(",").includes(name))) {
  const place = makePlace(path.join(dir, kill));
  const before = await killed(kill, place, program);
  exits[kill] = before.signal ?? before.exit;
  say(
    `${kill}: ends with ${exits[kill]}, ${before.survivors} processes left, interrupted call: ${show(before.effect)}`,
  );
  const saved = path.join(dir, "saved");
  await copy(place, saved, "out");
  for (const state of statesAfter(kill)) {
    await copy(place, saved, "back");
    const what = await damages[state](place);
    if (what !== "") say(`  ${state}: ${what}`);
    const after = await resumed(place, [], { ...program, before });
    rows.push({ ...after, kill, state, survivors: before.survivors });
    say(`  ${state}: ${lineOf(after)}`);
    if (after.code !== "moved") continue;
    // What the refusal says can be done.
    const told = await resumed(place, ["--base", "main"], { ...program, before });
    rows.push({ ...told, kill, state, survivors: before.survivors });
    say(`  ${state}, with --base main: ${lineOf(told)}`);
  }
}
await rm(dir, { recursive: true, force: true, maxRetries: 3 });
console.log(JSON.stringify(summary()));

/** Every state is laid over the remains of a lost machine; the others are resumed as they are. */
function statesAfter(kill: string): readonly State[] {
  if (kill !== "tree") return ["plain"];
  const wanted = options.states.split(",");
  return (Object.keys(damages) as State[]).filter((state) => wanted.includes(state));
}

async function copy({ root }: Place, saved: string, way: "out" | "back"): Promise<void> {
  const [from, to] = way === "out" ? [root, saved] : [saved, root];
  await rm(to, { recursive: true, force: true, maxRetries: 3 });
  await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function lineOf(after: After): string {
  const { exit, kind, code, requests, invalid, extended, repaired, untouched, effect, log, detail } = after;
  const told = `exit ${exit}, ${kind} (${code}); ${requests} requests`;
  if (kind === "refused") return `${told}; the log is ${untouched ? "as it was" : "CHANGED"}: ${detail}`;
  const parts = [
    told,
    `interrupted call ${show(effect)}`,
    `${log.twice.length} steps twice, ${log.missing.length} missing`,
    ...(invalid > 0 ? [`${invalid} REFUSED by the API's rules`] : []),
    ...(extended === null ? [] : [extended ? "they extend what was sent before" : "ANOTHER PROMPT"]),
    ...(repaired ? ["log.repaired"] : []),
  ];
  return parts.join("; ");
}

function show({ begin, done }: After["effect"]): string {
  return `${begin} begun, ${done} done`;
}

/** `exits` by kill; the counts over all resumes. */
function summary() {
  const went = rows.filter((row) => row.kind !== "refused");
  const refused = rows.filter((row) => row.kind === "refused");
  const codes = new Set(refused.map((row) => row.code));
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    resumes: rows.length,
    wentOn: went.length,
    refused: refused.length,
    refusedByCode: Object.fromEntries(
      [...codes].map((code) => [code, refused.filter((row) => row.code === code).length]),
    ),
    repeatedEffects: sum((row) => row.log.twice.length + Math.max(0, row.effect.begin - 1)),
    lostSteps: went.reduce((total, row) => total + row.log.missing.length, 0),
    refusedWithChanges: refused.filter((row) => !row.untouched).length,
    invalidRequests: sum((row) => row.invalid),
    survivors: Math.max(0, ...rows.map((row) => row.survivors)),
    repaired: rows.filter((row) => row.repaired).map((row) => row.state),
    exits,
    sandbox,
    node: process.version,
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
