import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SessionId } from "../../src/session/id.ts";
import { say } from "../kit/model/script.ts";
import { storedSession } from "../kit/stored.ts";
import {
  expectRefused,
  flipped,
  givenLeft,
  keeper,
  type Left,
  namesOf,
  newest,
  reseal,
  seen,
  strangersShipment,
  swap,
  withManifest,
  withUnknownRecord,
  witness,
} from "./given-left.ts";

type Case = {
  readonly code: string;
  readonly when: string;
  readonly says: string;
  readonly spoil?: (left: Left) => Promise<unknown> | unknown;
  readonly inputs?: Readonly<Record<string, string>>;
};

const hash = "0".repeat(31);

const cases: readonly Case[] = [
  {
    code: "not-found",
    when: "nothing that its runs stored is there any more",
    says: "stored no shipment of",
    spoil: ({ world, session }) => {
      for (const name of namesOf(world, session)) world.github.artifacts.remove(name);
    },
  },
  {
    code: "expired",
    when: "all of it is past its retention",
    says: "have expired",
    spoil: ({ world, session }) => {
      for (const name of namesOf(world, session)) world.github.artifacts.expire(name);
    },
  },
  {
    code: "gap",
    when: "a shipment in the middle is missing",
    says: "follows one that is not on the shelf",
    spoil: ({ world, session }) => {
      for (const at of [-1, -3]) world.github.artifacts.remove(namesOf(world, session).at(at) ?? "");
    },
  },
  {
    code: "gap",
    when: "the stored bytes are not those that were uploaded",
    says: "its bytes are not those GitHub recorded",
    spoil: (left) =>
      left.world.github.artifacts.tamper(newest(left), (bytes) => flipped(bytes, bytes.length - 40)),
  },
  {
    code: "tampered",
    when: "somebody changed a byte under the seal",
    says: "does not open",
    spoil: (left) =>
      left.world.github.artifacts.tamper(newest(left), (bytes) => flipped(bytes, bytes.length - 40), {
        digest: "follow",
      }),
  },
  {
    code: "other-key",
    when: "this run has another key",
    says: "use the API key or session-key of the run that wrote it",
    inputs: { "session-key": "another-key-of-more-than-thirty-two-characters" },
  },
  {
    code: "foreign",
    when: "another session's shipment lies under its name",
    says: "belongs to session",
    spoil: async ({ world, session }) => {
      const name = newest({ world, session });
      const bytes = await world.github.artifacts.read(await strangersShipment(world));
      await world.github.artifacts.tamper(name, () => bytes, { digest: "follow" });
    },
  },
  {
    code: "damaged",
    when: "a record does not match its hash",
    says: "does not match its hash",
    spoil: (left) =>
      reseal(
        left,
        swap("log", (log) => flipped(log, log.indexOf('"at":') + 6)),
      ),
  },
  {
    code: "behind",
    when: "acknowledged records are missing at the end",
    says: "was acknowledged",
    spoil: (left) =>
      reseal(
        left,
        swap("log", (log) => log.subarray(0, log.lastIndexOf(10, log.length - 2) + 1)),
      ),
  },
  {
    code: "stale",
    when: "a lease went on from a later record",
    says: "went on from record 900, and what is stored ends at record",
    spoil: (left) => witness(left, { seq: 900, hash: `${hash}1` }),
  },
  {
    code: "forked",
    when: "a lease has seen another record in its place",
    says: "is not the one that has been seen elsewhere",
    spoil: async (left) => {
      const stored = await storedSession(left.world, left.session);
      await witness(left, { seq: stored?.found.last.to ?? 0, hash: `${hash}1` });
    },
  },
  {
    code: "forged",
    when: "the manifest names another session's identity",
    says: "name different sessions",
    spoil: (left) =>
      reseal(
        left,
        withManifest((manifest) => {
          manifest["identity"] = { ...(manifest["identity"] as object), baseSha: "1".repeat(40) };
        }),
      ),
  },
  {
    code: "no-manifest",
    when: "the manifest cannot be read",
    says: "manifest is missing or unreadable",
    spoil: (left) =>
      reseal(
        left,
        swap("manifest", () => Buffer.from("{}")),
      ),
  },
  {
    code: "newer-format",
    when: "a later version wrote it",
    says: "has format 99",
    spoil: (left) =>
      reseal(
        left,
        withManifest((manifest) => {
          manifest["format"] = 99;
        }),
      ),
  },
  {
    code: "unknown-event",
    when: "it holds a record of a type that this version does not know",
    says: '"mood.changed"',
    spoil: (left) => reseal(left, withUnknownRecord),
  },
  {
    code: "objects",
    when: "the files of its last tree are not in its shipments",
    says: "do not hold the whole tree",
    spoil: (left) => reseal(left, (entries) => entries.filter(({ name }) => name !== "pack")),
  },
  {
    code: "exhausted",
    when: "its budget is used up and not raised",
    says: "raise it with the input max-turns",
    inputs: { "max-turns": "1" },
  },
];

describe("a session that cannot be proved", () => {
  let left: Left;
  let restore: () => Promise<void>;

  beforeAll(async () => {
    left = await givenLeft();
    restore = await keeper(left);
  });
  afterEach(() => restore());
  afterAll(() => left.world[Symbol.asyncDispose]());

  it.each(cases)("is refused as $code when $when, and stays as it was", async (one) => {
    await one.spoil?.(left);
    await expectRefused(left, one.code, one.says, one.inputs);
  });

  it("is refused as not-allowed for somebody who may not start one", async () => {
    const { world, session } = left;
    const before = seen(left);
    const result = await world.finish(world.dispatch({ session }, "stranger"));
    expect(result.outputs, result.log).toMatchObject({ outcome: "refused", reason: "not-allowed" });
    expect(seen(left)).toEqual(before);
  });

  it("is not found under an id that nobody holds", async () => {
    await expectRefused(
      { ...left, session: "s0123456789ab" as SessionId },
      "not-found",
      "No run holds the session",
    );
  });

  it("goes on as soon as nothing is wrong any more", async () => {
    const { world, session } = left;
    world.model.script.push(say("Add in sum"));
    const result = await world.finish(world.dispatch({ session }), { inputs: { "max-turns": "9" } });
    expect(result.outputs, result.log).toMatchObject({ outcome: "pull-request" });
    world.model.assertDone();
  });
});
