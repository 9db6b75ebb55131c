// What is wrong with a session whose log is believed: this run cannot go on with it, or not now, or not here.
import type { Means } from "../../src/app/means.ts";
import { type Case, claimedBy, flip, over, rewrite, tailOf, withoutLast } from "./given-refusal.ts";

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

/** Checks 6 to 13. */
export const unfit: readonly Case[] = [
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
