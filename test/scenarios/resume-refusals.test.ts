import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SessionId } from "../../src/session/id.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { say, use } from "../kit/model/script.ts";
import { sessionOf, shipmentsOf } from "../kit/stored.ts";
import { givenWorld } from "../kit/world.ts";
import { askedOnPullRequest, fixesSum } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";
import {
  flipped,
  givenLeft,
  keeper,
  type Left,
  namesOf,
  newest,
  reseal,
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
    code: "behind",
    when: "a lease has seen a later record",
    says: "has been seen elsewhere",
    spoil: (left) => witness(left, { seq: 900, hash: `${hash}1` }),
  },
  {
    code: "forked",
    when: "a lease has seen another record in its place",
    says: "Record 2 is not the one that has been seen elsewhere",
    spoil: (left) => witness(left, { seq: 2, hash: `${hash}1` }),
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
    code: "other-model",
    when: "this run has another model",
    says: "set model: claude-sonnet-5-5",
    inputs: { model: "claude-opus-5" },
  },
  {
    code: "exhausted",
    when: "its budget is used up and not raised",
    says: "raise it with the input max-turns",
    inputs: { "max-turns": "2" },
  },
];

/** What a refusal must leave as it was. */
function seen({ world, session }: Left) {
  return {
    requests: world.model.requests.length,
    shipments: namesOf(world, session),
    leases: world.github.refs(`refs/agent/${session}/`),
    branches: world.github.branches(),
  };
}

async function expectRefused(left: Left, code: string, says: string, inputs = {}): Promise<void> {
  const before = seen(left);
  const { world, session } = left;
  const result = await world.finish(world.dispatch({ session }), {
    inputs: { "max-turns": "9", ...inputs },
  });
  expect(result.outputs, result.log).toMatchObject({ outcome: "refused", reason: code });
  expect(result.log).toContain(says);
  expect({ code: result.code, postCode: result.postCode }).toEqual({ code: 1, postCode: 0 });
  expect(seen(left)).toEqual(before);
}

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

describe("a session that may not go on", () => {
  it("is refused as ended once it has ended, and found by the run that stored it", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = world.asked();
    await world.finish(asked);
    const session = sessionOf(world, asked);
    const run = shipmentsOf(world, session).at(-1)?.run;
    const requests = world.model.requests.length;
    const result = await world.finish(world.dispatch({ session: `${session}@${run}` }));
    expect(result.outputs, result.log).toMatchObject({ outcome: "refused", reason: "ended" });
    expect(world.model.requests).toHaveLength(requests);
    expect(world.github.refs("refs/agent/")).toEqual([]);
  });

  it("is refused as moved, with its lease given back, when the pull request got another commit", async () => {
    await using world = await givenWorld({ script: [use("read", { path: "sum.mjs" })] });
    const asked = await askedOnPullRequest(world, { comment: "/agent fix" });
    await world.finish(asked, { inputs: { "max-turns": "1" } });
    const left = { world, asked, session: sessionOf(world, asked) };
    world.github.commit({ branch: "topic", files: { "other.txt": "other\n" }, message: "Go on by hand" });
    await expectRefused(left, "moved", `this session left it at ${asked.head}`);
  });

  it("is refused as crash-loop after three runs died at the same place", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    const session = sessionOf(world, asked);
    for (const event of [asked, world.dispatch({ session }), world.dispatch({ session })]) {
      const reached = Promise.withResolvers<void>();
      const hold = { until: new Promise(() => undefined), onReached: () => reached.resolve() };
      world.model.script.push(say("", { hold }));
      const job = await world.job(event);
      await orEnd(job, reached.promise);
      job.kill("SIGKILL");
      await job.done;
      world.github.completeRun(job.runId, "failure");
    }
    await expectRefused(
      { world, asked, session },
      "crash-loop",
      "3 runs in a row have died at the same place: turn 1",
    );
  });

  it("is refused as in-doubt when a command without a sandbox was under way", async () => {
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({}) },
      inputs: { "dangerously-disable-sandbox": "true" },
      script: [use("shell", { command: inJournal("outside") }, { id: "toolu_outside" })],
    });
    using journal = givenJournal(world);
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir } });
    await orEnd(job, journal.seen("outside"));
    job.kill("SIGKILL");
    await job.done;
    world.github.completeRun(job.runId, "failure");
    const left = { world, asked, session: sessionOf(world, asked) };
    await expectRefused(left, "in-doubt", "Call toolu_outside (shell) was begun and not settled");
  });
});
