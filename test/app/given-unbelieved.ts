// What is wrong before a session's log is believed: who asks, what is stored, and whether it is whole.
import { sealKeyOf } from "../../src/session/shipment.ts";
import { repositoryId, type Stage } from "../kit/story/stage.ts";
import {
  type Case,
  claimedBy,
  flip,
  over,
  reseal,
  rewrite,
  tailOf,
  withEntry,
  withManifest,
  withoutLast,
} from "./given-refusal.ts";

const other = "f".repeat(32);

/** Checks 1 to 5. */
export const unbelieved: readonly Case[] = [
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
];
