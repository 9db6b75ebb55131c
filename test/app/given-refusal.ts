// A session that a process left in the middle of a call without a sandbox, and everything that can be wrong with it.
import type { Means } from "../../src/app/means.ts";
import type { Head, SessionEvent } from "../../src/session/event.ts";
import { decodeManifest, encodeManifest, type Manifest } from "../../src/session/manifest.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import {
  type ShipmentEntry,
  type ShipmentHeader,
  sealKeyOf,
  sealShipment,
  unsealShipment,
} from "../../src/session/shipment.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { givenStage, repositoryId, type Stage } from "../kit/story/stage.ts";

/** What a fault does to what was left, and to the process that resumes. */
export type Fault = {
  readonly code: string;
  readonly says: string;
  readonly spoil?: (stage: Stage) => void;
  /** Of two faults at once the log is rewritten first, then claims are made of it, then bytes are spoiled. */
  readonly spoils?: "log" | "claims" | "bytes";
  readonly life?: (stage: Stage) => LifeOptions;
};

/** The first call that writes was begun, and its machine stored all of it: a person has to say what became of it. */
export async function givenLeft(): Promise<Stage> {
  const stage = givenStage({ sandbox: "off" });
  const first = await live(stage, { death: { at: "toolbox.run", nth: 3, when: "after" } });
  if (endOf(first) !== "died") throw new Error(`the process ended ${endOf(first)}`);
  return stage;
}

type Parts = { readonly header: ShipmentHeader; readonly entries: readonly ShipmentEntry[] };

/** Puts other content under the newest shipment's seal, as only a holder of the key could. */
export function reseal(stage: Stage, change: (parts: Parts) => Parts): void {
  const newest = stage.shelves.stored.pop();
  if (newest === undefined) throw new Error("nothing is stored");
  const { key, session } = stage;
  const opened = unsealShipment(newest.bytes, { key, repositoryId, session });
  if (opened.kind === "refused") throw new Error(opened.why);
  const { header, entries } = change(opened);
  const bytes = sealShipment(header, entries, { key, nonce: Buffer.alloc(12, 7) });
  stage.shelves.stored.push({ ...newest, bytes });
}

export const withEntry =
  (name: string, change: (bytes: Buffer) => Buffer) =>
  (parts: Parts): Parts => ({
    ...parts,
    entries: parts.entries.map((entry) =>
      entry.name === name ? { name, bytes: change(Buffer.from(entry.bytes)) } : entry,
    ),
  });

const withManifest = (change: (manifest: Manifest) => Manifest) =>
  withEntry("manifest", (bytes) => {
    const manifest = decodeManifest(bytes);
    if (manifest === null) throw new Error("the shipment has no manifest");
    return Buffer.from(encodeManifest(change(manifest)));
  });

/** The same log with other events, chained and announced as a writer would have. */
export function rewrite(
  stage: Stage,
  change: (events: readonly SessionEvent[]) => readonly SessionEvent[],
): void {
  reseal(stage, (parts) => {
    const log = Buffer.from(parts.entries.find(({ name }) => name === "log")?.bytes ?? []);
    const lines = log.toString().trimEnd().split("\n");
    const events = change(lines.map((line) => (JSON.parse(line) as { event: SessionEvent }).event));
    let previous: Head = genesis;
    const written = events.map((event) => {
      const { record, bytes } = encodeRecord(event, { previous, gen: 1, at: 0 });
      previous = { seq: record.seq, hash: record.hash };
      return bytes;
    });
    const [first] = events;
    const identity = first?.type === "session.opened" ? first.identity : null;
    const announced = withManifest((manifest) => {
      return { ...manifest, identity: identity ?? manifest.identity, next: previous, acked: previous };
    })(parts);
    const { header, entries } = withEntry("log", () => Buffer.concat(written))(announced);
    return { header: { ...header, to: previous.seq }, entries };
  });
}

function withoutLast(log: Uint8Array): Buffer {
  return Buffer.from(log.subarray(0, log.lastIndexOf(10, log.length - 2) + 1));
}

function flip(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** The last record that is stored. */
function tailOf(stage: Stage): Head {
  const newest = stage.shelves.stored.at(-1);
  const { key, session } = stage;
  const opened = newest && unsealShipment(newest.bytes, { key, repositoryId, session });
  if (opened?.kind !== "unsealed") throw new Error("what is stored does not open");
  const log = Buffer.from(opened.entries.find(({ name }) => name === "log")?.bytes ?? []);
  const { seq, hash } = JSON.parse(log.toString().trimEnd().split("\n").at(-1) ?? "") as Head;
  return { seq, hash };
}

/** A run that had claimed the session, to go on from this record. */
function claimedBy(stage: Stage, id: string, head: Head, over = true): void {
  const run = { id, attempt: 1, job: "agent" };
  const gen = (stage.leases.leases.at(-1)?.gen ?? 0) + 1;
  stage.leases.leases.push({ session: stage.session, gen, run, head });
  if (over) stage.leases.ended.push(run);
}

const over = (change: (means: Means) => Partial<Means>) => (): LifeOptions => ({ over: change });

const pinOf = (change: (pin: Pin) => Pin) =>
  over(({ ground }) => ({
    ground: async (session) => {
      const taken = await ground(session);
      if (taken.kind === "refused") return taken;
      return { kind: "taken", ground: { ...taken.ground, pin: change(taken.ground.pin) } };
    },
  }));
type Pin = Extract<Awaited<ReturnType<Means["ground"]>>, { kind: "taken" }>["ground"]["pin"];

/** A disk that gives back something else than was written to it. */
const readingBack = (change: (log: Uint8Array) => Uint8Array) =>
  over(({ ground }) => ({
    ground: async (session) => {
      const taken = await ground(session);
      if (taken.kind === "refused") return taken;
      const { files } = taken.ground;
      const read: typeof files.read = async () => {
        const { manifest, log } = await files.read();
        return { manifest, log: log.length === 0 ? log : change(log) };
      };
      return { kind: "taken", ground: { ...taken.ground, files: { ...files, read } } };
    },
  }));

const other = "f".repeat(32);

/** In the order of session.md, section 7: of two at once the earlier one is told. */
export const faults: readonly (readonly [number, Fault])[] = [
  [1, { code: "not-allowed", says: "need write access", life: () => ({ by: "stranger" }) }],
  [
    2,
    {
      code: "not-found",
      says: "stored no shipment of",
      spoils: "bytes",
      spoil: ({ shelves }) => {
        shelves.stored.length = 0;
      },
    },
  ],
  [
    2,
    {
      code: "expired",
      says: "have expired",
      life: over(({ shelf }) => ({
        shelf: {
          ...shelf,
          list: async (...given) => (await shelf.list(...given)).map((item) => ({ ...item, expired: true })),
        },
      })),
    },
  ],
  [
    2,
    {
      code: "gap",
      says: "is not on the shelf",
      spoils: "bytes",
      spoil: ({ shelves }) => {
        shelves.stored.shift();
        shelves.stored.pop();
      },
    },
  ],
  [
    3,
    {
      code: "other-key",
      says: "use the API key or session-key of the run that wrote it",
      life: over(() => ({ key: sealKeyOf("another key that is long enough", repositoryId) })),
    },
  ],
  [
    3,
    {
      code: "tampered",
      says: "does not open",
      spoils: "bytes",
      spoil: ({ shelves }) => {
        const newest = shelves.stored.pop();
        if (newest) shelves.stored.push({ ...newest, bytes: flip(newest.bytes, newest.bytes.length - 20) });
      },
    },
  ],
  [
    3,
    {
      code: "foreign",
      says: "belongs to session s0123456789ab",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(stage, ({ header, entries }) => ({
          header: { ...header, session: "s0123456789ab" as Stage["session"] },
          entries,
        })),
    },
  ],
  [
    4,
    {
      code: "stale",
      says: "Generation 2 (run 98) went on from record 900",
      spoils: "claims",
      spoil: (stage) => claimedBy(stage, "98", { seq: 900, hash: other }),
    },
  ],
  [
    4,
    {
      code: "forked",
      says: "is not the one that has been seen elsewhere: generation 2 (run 98) went on from another",
      spoils: "claims",
      spoil: (stage) => claimedBy(stage, "98", { ...tailOf(stage), hash: other }),
    },
  ],
  [
    5,
    {
      code: "damaged",
      says: "does not match its hash",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(
          stage,
          withEntry("log", (log) => flip(log, log.lastIndexOf('"at":') + 6)),
        ),
    },
  ],
  [
    5,
    {
      code: "behind",
      says: "was acknowledged",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(
          stage,
          withEntry("log", (log) => withoutLast(withoutLast(log))),
        ),
    },
  ],
  [
    5,
    {
      code: "behind",
      says: "its shipment says that it ends at",
      spoils: "bytes",
      spoil: (stage) => reseal(stage, withEntry("log", withoutLast)),
    },
  ],
  [
    5,
    {
      code: "forged",
      says: "name different sessions",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(
          stage,
          withManifest(({ identity, ...rest }) => ({
            ...rest,
            identity: { ...identity, baseSha: "1".repeat(40) as typeof identity.baseSha },
          })),
        ),
    },
  ],
  [
    5,
    {
      code: "no-manifest",
      says: "manifest is missing or unreadable",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(
          stage,
          withEntry("manifest", () => Buffer.from("{}")),
        ),
    },
  ],
  [
    5,
    {
      code: "newer-format",
      says: "has format 99",
      spoils: "bytes",
      spoil: (stage) =>
        reseal(
          stage,
          withManifest((manifest) => ({ ...manifest, format: 99 })),
        ),
    },
  ],
  [
    5,
    {
      code: "unknown-event",
      says: '"mood.changed"',
      spoils: "log",
      spoil: (stage) => rewrite(stage, (events) => [...events, { type: "mood.changed" } as never]),
    },
  ],
  [
    6,
    {
      code: "other-protocol",
      says: "speaks protocol 99",
      spoils: "log",
      spoil: (stage) =>
        rewrite(stage, ([first, ...rest]) =>
          first?.type === "session.opened"
            ? [{ ...first, identity: { ...first.identity, protocol: 99 } }, ...rest]
            : rest,
        ),
    },
  ],
  [
    6,
    {
      code: "other-provider",
      says: "was begun with scripted, this run has another",
      life: () => ({ orders: { provider: "another" } }),
    },
  ],
  [
    6,
    {
      code: "other-model",
      says: "works with scripted, and this run has another",
      life: () => ({ orders: { model: "another" } }),
    },
  ],
  [
    6,
    {
      code: "other-tools",
      says: "resume it with that version",
      life: over(({ tools }) => ({ tools: tools.slice(1) })),
    },
  ],
  [
    6,
    {
      code: "no-task",
      says: "had recorded the task",
      spoils: "log",
      spoil: (stage) => rewrite(stage, (events) => events.slice(0, 2)),
    },
  ],
  [
    7,
    {
      code: "ended",
      says: "The session ended (no-change)",
      spoils: "log",
      spoil: (stage) =>
        rewrite(stage, (events) => [
          ...events,
          { type: "session.ended", outcome: "no-change", reason: "no-change" },
        ]),
    },
  ],
  [
    7,
    {
      code: "exhausted",
      says: "raise it with the input max-turns",
      life: () => ({ orders: { budget: { turns: 1 } } }),
    },
  ],
  [
    7,
    {
      code: "crash-loop",
      says: "3 runs in a row have died at the same place: call call_2_1",
      spoils: "claims",
      spoil: (stage) => {
        claimedBy(stage, "98", tailOf(stage));
        claimedBy(stage, "99", tailOf(stage));
      },
    },
  ],
  [
    8,
    {
      code: "busy",
      says: "Run 97 (attempt 1) works on this session",
      spoils: "claims",
      spoil: (stage) => claimedBy(stage, "97", tailOf(stage), false),
    },
  ],
  [
    8,
    {
      code: "busy",
      says: "process 7 works on this session on this machine",
      life: over(() => ({
        ground: async () => ({
          kind: "refused",
          code: "busy",
          why: "process 7 works on this session on this machine",
        }),
      })),
    },
  ],
  [
    8,
    {
      code: "lost-race",
      says: "claimed",
      life: over(({ leases }) => ({ leases: { ...leases, claim: async () => ({ kind: "lost" }) } })),
    },
  ],
  [
    8,
    {
      code: "lost-race",
      says: "was still storing",
      life: over(({ shelf }) => {
        let looks = 0;
        return {
          shelf: {
            ...shelf,
            list: async (...given) => {
              looks += 1;
              return looks === 1 ? shelf.list(...given) : [];
            },
          },
        };
      }),
    },
  ],
  [
    9,
    {
      code: "in-doubt",
      says: "call_2_1 (write) was begun and not settled",
      life: () => ({ orders: { resolve: null } }),
    },
  ],
  [
    10,
    {
      code: "moved",
      says: "is gone, and this session left it at",
      spoils: "log",
      spoil: (stage) =>
        rewrite(stage, (events) => [
          ...events,
          {
            type: "effect.settled",
            key: `${stage.session}/branch`,
            status: "done",
            detail: "1".repeat(40),
            url: null,
          },
        ]),
    },
  ],
  [
    11,
    {
      code: "unreachable",
      says: "no permission",
      life: pinOf(() => async () => ({ kind: "refused", code: "unreachable", why: "no permission" })),
    },
  ],
  [
    11,
    {
      code: "objects",
      says: "do not hold the whole tree",
      life: pinOf((pin) => async (...given) => {
        const pinned = await pin(...given);
        if (pinned.kind === "refused") return pinned;
        const { workspace } = pinned;
        return {
          kind: "pinned",
          workspace: { ...workspace, objects: { ...workspace.objects, has: async () => false } },
        };
      }),
    },
  ],
  [
    11,
    {
      code: "no-checks",
      says: "check",
      life: () => ({ orders: { checks: [] } }),
    },
  ],
  [
    13,
    {
      code: "failed",
      says: "the log that was just written: record",
      life: readingBack((log) => flip(log, Buffer.from(log).indexOf('"at":') + 6)),
    },
  ],
  [
    13,
    {
      code: "failed",
      says: "the log that was just written does not give the state it was written from",
      life: readingBack(withoutLast),
    },
  ],
];
