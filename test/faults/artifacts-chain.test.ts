import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { shipRest } from "../../src/app/ship-rest.ts";
import { maskOf } from "../../src/base/masking.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import type { SessionFiles } from "../../src/session/files.ts";
import { type Find, unpackSession } from "../../src/session/find.ts";
import type { Lease } from "../../src/session/leases.ts";
import { createJournal, type OpenJournal, openJournal } from "../../src/session/open-journal.ts";
import type { Put } from "../../src/session/shelf.ts";
import type { Shipped } from "../../src/session/ship.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper, type Shipper } from "../../src/session/shipper.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { handClock, identity, inline, opened, sessionId } from "../kit/given.ts";
import {
  expected,
  find,
  type GivenShelf,
  givenShelf,
  shippingTo,
  signal,
  task,
} from "../session/given-shelf.ts";

/** One run's stretch of the session, on a machine of its own that lives on after it was replaced. */
type Generation = {
  readonly gen: number;
  readonly files: SessionFiles;
  readonly journal: OpenJournal;
  readonly shipper: Shipper;
  /** The record that it went on from. */
  readonly head: number;
  /** Its main is gone: nothing is appended any more. */
  over: boolean;
  /** Its main dies when it tells its log that something was sent. */
  dying: boolean;
};

type Stage = {
  readonly shelf: GivenShelf;
  readonly generations: Generation[];
  /** Null where leases cannot be written. */
  readonly leases: Lease[] | null;
  removed: boolean;
};

const journalOptions = () =>
  ({ clock: handClock(), mask: maskOf([]), durability: "process" as const }) satisfies Record<
    string,
    unknown
  >;

async function begun(leases: Lease[] | null): Promise<Stage> {
  const shelf = givenShelf();
  const files = memorySessionFiles();
  const journal = createJournal(identity(), { files, ...journalOptions() });
  await journal.append(opened());
  await journal.append(task);
  const first = generation(shelf, { gen: 1, files, journal, head: 0 }, null);
  return { shelf, generations: [first], leases, removed: false };
}

function generation(
  shelf: GivenShelf,
  parts: Pick<Generation, "gen" | "files" | "journal" | "head">,
  last: Shipped | null,
): Generation {
  const { files, journal } = parts;
  const mortal: OpenJournal = Object.create(journal, {
    append: {
      value: (event: SessionEvent) =>
        run.dying && event.type === "shipment.sent"
          ? Promise.reject(new Error("killed"))
          : journal.append(event),
    },
  });
  const shipping = shippingTo(shelf, String(parts.gen));
  const options = { shipSeconds: 60, signal, onUnshipped: () => undefined };
  const shipper = openShipper({ files, journal: mortal, last, shipping, ...options });
  const run: Generation = { ...parts, shipper, over: false, dying: false };
  return run;
}

/** What may happen to a session and to its shelf. `of` chooses a generation, counted back from the newest. */
type Step =
  | { readonly kind: "append"; readonly of: number }
  | { readonly kind: "ship"; readonly of: number; readonly puts: readonly ("stored" | "lost" | "failed")[] }
  /** The process dies between the answer of the shelf and the record of it. */
  | { readonly kind: "die"; readonly of: number }
  | { readonly kind: "post"; readonly of: number }
  | { readonly kind: "resume" }
  | { readonly kind: "expire" | "remove" | "flip"; readonly at: number };

const failed: Put = { kind: "failed", why: "500" };

async function play(stage: Stage, step: Step): Promise<void> {
  const { shelf, generations } = stage;
  switch (step.kind) {
    case "append":
      return note(generationAt(stage, step.of));
    case "ship": {
      const { shipper, over } = generationAt(stage, step.of);
      if (over) return;
      for (const put of step.puts.slice(0, 3)) {
        if (put === "stored") break;
        shelf.answers.push(put === "lost" ? { kind: "lost" } : failed);
      }
      await shipper.ship();
      shelf.answers.length = 0;
      return;
    }
    case "die": {
      const run = generationAt(stage, step.of);
      if (run.over) return;
      await note(run);
      run.dying = true;
      const sending = run.shipper.ship().catch(() => undefined);
      await note(run);
      await sending;
      run.over = true;
      return;
    }
    case "post": {
      const run = generationAt(stage, step.of);
      run.over = true;
      await shipRest(run.files, { shipping: () => shippingTo(shelf, String(run.gen)), signal });
      return;
    }
    case "resume": {
      const next = await resumed(stage);
      if (next !== null) generations.push(next);
      return;
    }
    case "expire":
      return spoil(shelf, step.at, (name) => shelf.expired.add(name));
    case "remove":
      return spoil(shelf, step.at, (name) => {
        stage.removed = true;
        shelf.stored.delete(name);
      });
    case "flip":
      return spoil(shelf, step.at, (name, bytes) => {
        const flipped = Buffer.from(bytes);
        const at = flipped.length - 20;
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        shelf.stored.set(name, flipped);
      });
  }
}

async function note(run: Generation): Promise<void> {
  if (run.over) return;
  await run.journal.append({ type: "note.added", about: "nudge", text: inline(`by ${run.gen}`) });
}

function generationAt({ generations }: Stage, back: number): Generation {
  const run = generations.at(-1 - (back % generations.length));
  if (run === undefined) throw new Error("there is no generation");
  return run;
}

function spoil(shelf: GivenShelf, at: number, how: (name: string, bytes: Uint8Array) => unknown): void {
  const items = [...shelf.stored];
  const item = items[at % Math.max(1, items.length)];
  if (item !== undefined) how(...item);
}

/** What a resume does with the shelf, as far as the log is concerned; null where it is refused. */
async function resumed({ shelf, generations, leases }: Stage): Promise<Generation | null> {
  const found = await find(shelf, leases ?? []);
  if (found.kind === "refused") return null;
  const checked = verifyLog(found.session, { witnessed: [] });
  if (checked.kind === "damage") throw new Error(checked.why);
  const { log } = checked;
  const files = memorySessionFiles();
  const last = await unpackSession(found.session, log, files);
  const gen = generations.length + 1;
  const journal = await openJournal(log, { files, ...journalOptions(), gen });
  const run = { id: String(gen), attempt: 1, job: "agent" };
  await journal.append({ type: "run.claimed", gen, run, head: log.tail });
  leases?.push({ session: sessionId(), gen, run, head: log.tail });
  await journal.append({ type: "note.added", about: "resumed", text: inline("on") });
  return generation(shelf, { gen, files, journal, head: log.tail.seq }, last);
}

type Stored = { readonly gen: number; readonly to: number; readonly name: string };

function storedOn(shelf: GivenShelf): readonly Stored[] {
  return [...shelf.stored].flatMap(([name, bytes]) => {
    const unsealed = unsealShipment(bytes, expected);
    if (unsealed.kind === "refused") return [];
    return [{ gen: unsealed.header.gen, to: unsealed.header.to, name }];
  });
}

/** The first `to` records of what a generation wrote. */
async function linesOf(run: Generation, to: number): Promise<string> {
  const { log } = await run.files.read();
  return Buffer.from(log).toString().split("\n").slice(0, to).join("\n");
}

/** What does not hold of what was found; empty is what is wanted. */
async function judge(
  { shelf, generations, leases, removed }: Stage,
  found: Find,
): Promise<readonly string[]> {
  const stored = storedOn(shelf);
  const left = stored.filter(({ gen, to }) => !(leases ?? []).some((lease) => isLeft(lease, { gen, to })));
  if (found.kind === "refused") {
    const codes = ["gap", "expired", "tampered", ...(left.length === 0 ? ["not-found"] : [])];
    const mayRefuse = removed || shelf.expired.size > 0 || stored.length < shelf.stored.size;
    const isRight = codes.includes(found.code) && (mayRefuse || found.code === "not-found");
    return isRight ? [] : [`refused ${found.code}: ${found.why}`];
  }
  const checked = verifyLog(found.session, { witnessed: [] });
  if (checked.kind === "damage") return [`${checked.code}: ${checked.why}`];
  const { seq } = checked.log.tail;
  const gen = checked.log.manifest.gen;
  const newest = Math.max(...left.map((item) => item.gen));
  const furthest = Math.max(...left.filter((item) => item.gen === newest).map(({ to }) => to));
  const wrong: string[] = [];
  // What was deleted cannot be missed; everything else is either used or refused.
  if (!removed && (gen !== newest || seq !== furthest))
    wrong.push(`found ${gen}/${seq}, stored is ${newest}/${furthest}`);
  const run = generations[gen - 1];
  if (run === undefined) return [...wrong, `generation ${gen} never was`];
  // What was acknowledged only after somebody else had gone on is no part of the session.
  const until = generations[gen]?.head ?? Number.POSITIVE_INFINITY;
  const acknowledged = Math.min(run.shipper.stored(), leases === null ? Number.POSITIVE_INFINITY : until);
  if (!removed && seq < acknowledged) wrong.push(`found up to ${seq}, acknowledged was ${acknowledged}`);
  const log = Buffer.from(found.session.log).toString().trimEnd();
  if (log !== (await linesOf(run, seq)).trimEnd()) wrong.push("the log is not what that run wrote");
  return [...wrong, ...untrue(found.session.reported, { stored, generations })];
}

function isLeft(lease: Lease, { gen, to }: { readonly gen: number; readonly to: number }): boolean {
  return lease.gen > gen && to > (lease.head?.seq ?? 0);
}

/** Only what came after a later generation's claim may be reported as passed over. */
function untrue(
  reported: readonly string[],
  {
    stored,
    generations,
  }: { readonly stored: readonly Stored[]; readonly generations: readonly Generation[] },
): readonly string[] {
  const dead = stored.filter(({ gen, to }) =>
    generations.some((later) => later.gen > gen && later.head < to),
  );
  return reported.filter(
    (text) => !text.startsWith("shipment ") && !dead.some(({ name }) => text.startsWith(`${name}:`)),
  );
}

const of = fc.nat({ max: 2 });
const at = fc.nat({ max: 30 });
const puts = fc.array(fc.constantFrom("stored" as const, "lost" as const, "failed" as const), {
  maxLength: 3,
});
const working = [
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("append" as const), of }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("ship" as const), of, puts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("die" as const), of }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("post" as const), of }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("resume" as const) }) },
];
const spoiling = {
  weight: 2,
  arbitrary: fc.record({ kind: fc.constantFrom("expire" as const, "remove" as const, "flip" as const), at }),
};

/** With leases, and where none can be written. */
async function hold(steps: readonly Step[]): Promise<void> {
  for (const leases of [[], null]) {
    const stage = await begun(leases);
    for (const step of steps) await play(stage, step);
    expect(await judge(stage, await find(stage.shelf, leases ?? []))).toEqual([]);
  }
}

describe("whatever runs store, lose and store late", () => {
  it("leaves a shelf that gives the longest chain of the newest generation, every acknowledged record in it (F44, F47)", async () => {
    const steps = fc.array(fc.oneof(...working), { maxLength: 25 });
    await fc.assert(fc.asyncProperty(steps, hold), { numRuns: 200 });
  });

  it("is refused, or found as one run wrote it, where items expire, are deleted or changed as well (F45, F47)", async () => {
    const steps = fc.array(fc.oneof(...working, spoiling), { maxLength: 25 });
    await fc.assert(fc.asyncProperty(steps, hold), { numRuns: 200 });
  });
});
