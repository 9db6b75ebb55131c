// The action with a switch in its journal: it kills its own process right before, inside or after the write of a record.
import { buildMutant, type Mutant, type Mutation } from "../mutant.ts";
import type { Blow } from "./play.ts";

/**
 * Where in the append the process dies: before the manifest names the record, before its line, with half of its line
 * written, or once the line is whole.
 */
export type Place = "before" | "between" | "torn" | "after";

export const places: readonly Place[] = ["before", "between", "torn", "after"];

/** The `nth` record of a type, counted from 1 within the run. */
export type Moment = { readonly type: string; readonly nth: number; readonly place: Place };

/** Read by the mutant only; the product knows nothing of it. */
const variable = "BATON_TEST_KILL";

export function killAt({ type, nth, place }: Moment): Blow {
  return () => ({ env: { [variable]: `${type} ${nth} ${place}` }, under: [] });
}

const dies = `
const [killType, killNth, killPlace] = (process.env["${variable}"] ?? "").split(" ");
let killsSeen = 0;
async function dieAt(place, type) {
    if (type !== killType) return;
    if (place === "before") killsSeen += 1;
    if (place !== killPlace || killsSeen !== Number(killNth)) return;
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
}
`;

const file = "session/open-journal.js";

const switches: readonly Mutation[] = [
  {
    file,
    find: "export function createJournal(",
    replace: `${dies}export function createJournal(`,
  },
  {
    file,
    find: "const next = { seq: line.record.seq, hash: line.record.hash };",
    replace: `const next = { seq: line.record.seq, hash: line.record.hash };
        await dieAt("before", event.type);`,
  },
  {
    file,
    find: "await files.append(line.bytes, { barrier });",
    replace: `await dieAt("between", event.type);
            if (killPlace === "torn" && killType === event.type && killsSeen === Number(killNth))
                await files.append(line.bytes.subarray(0, line.bytes.length >> 1), { barrier: false });
            await dieAt("torn", event.type);
            await files.append(line.bytes, { barrier });
            await dieAt("after", event.type);`,
  },
];

/** Takes some ten seconds: once a test file. */
export function buildKillMutant(): Promise<Mutant> {
  return buildMutant(switches);
}
