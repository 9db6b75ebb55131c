import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Sent } from "../../src/session/ship.ts";
import type { FaultRule } from "../kit/github/faults.ts";
import { sessionId } from "../kit/given.ts";
import { expectWhole, givenPlace, ours, type Place, sharedWorld, signal } from "./given-artifacts.ts";

const world = sharedWorld();

const create = { method: "POST", path: /CreateArtifact/ };
const upload = { method: "PUT", path: /devstoreaccount1/ };
const finalize = { method: "POST", path: /FinalizeArtifact/ };
const download = { method: "GET", path: /devstoreaccount1/ };

type Case = { readonly title: string; readonly fault: FaultRule };

const steps = [
  { at: "create", rule: create },
  { at: "the blob", rule: upload },
  { at: "finalize", rule: finalize },
];

/** As often as the clients try by themselves: five times a call, four times a blob. */
const often = (rule: FaultRule): number => (rule.method === "PUT" ? 4 : 5);

const refused: readonly Case[] = steps.flatMap(({ at, rule }) =>
  [500, 503, 429].map((status): Case => {
    const times = status === 429 && rule === upload ? 1 : often(rule);
    return { title: `${status} at ${at}`, fault: { ...rule, status, times } };
  }),
);

const broken: readonly Case[] = steps.map(({ at, rule }): Case => {
  const times = rule === upload ? 4 : 1;
  return { title: `a reset at ${at}`, fault: { ...rule, network: "reset", times } };
});

/** How many artifacts lie on the shelf in the end: 2 where the first was stored and nobody was told. */
const unanswered: readonly (Case & { readonly stored: 1 | 2 })[] = [
  { title: "an answer lost at create", fault: { ...create, status: 500, after: true }, stored: 1 },
  { title: "an answer lost at finalize", fault: { ...finalize, status: 500, after: true }, stored: 2 },
  { title: "a reset after finalize", fault: { ...finalize, network: "reset", after: true }, stored: 2 },
];

/** Faults that were asked for have to have struck. */
function struck(rule: FaultRule): number {
  return world.github.exchanges.filter(
    ({ fault, method, path }) => fault && method === rule.method && rule.path.test(path),
  ).length;
}

async function expectOneChain(at: Place, first: Sent, stored: number): Promise<void> {
  expect(first).toMatchObject({ kind: "sent", tries: 2 });
  expect(at.names()).toHaveLength(stored);
  const digests = new Set(
    world.github.artifacts
      .list()
      .filter(({ run }) => run === at.run)
      .map(({ digest }) => digest),
  );
  expect(digests.size).toBe(1);
  expect(await at.ship(first)).toMatchObject({ kind: "sent", tries: 1 });
  expectWhole(at, await at.find());
}

describe("an upload", () => {
  it.each([...refused, ...broken])("goes under another name after $title, whole (F43)", async ({ fault }) => {
    const at = await givenPlace(world);
    const before = struck(fault);
    world.github.fail(fault);
    const sent = await at.ship(null);
    expect(struck(fault) - before).toBe(fault.times);
    if (sent.kind !== "sent") throw new Error(JSON.stringify(sent));
    expect(sent.tries).toBe(2);
    const stored = world.github.artifacts.list().filter(({ run }) => run === at.run);
    expect(stored).toMatchObject([{ name: sent.name, digest: `sha256:${sent.shipped.digest}` }]);
  });

  it.each(unanswered)(
    "is one shipment, however often it was stored, after $title (F41, F44)",
    async ({ fault, stored }) => {
      const at = await givenPlace(world);
      world.github.fail(fault);
      await expectOneChain(at, await at.ship(null), stored);
    },
  );

  it.each(steps)(
    "that stands still at $at ends at its bound, and goes under another name (F43)",
    async ({ rule }) => {
      const at = await givenPlace(world);
      const before = struck(rule);
      world.github.fail({ ...rule, network: "stall" });
      const shipping = at.ship(null);
      while (struck(rule) === before) await new Promise((next) => setImmediate(next));
      world.bounds[0]?.end();
      await expectOneChain(at, await shipping, 1);
    },
  );

  it("may take longer the more it holds (F48)", async () => {
    const at = await givenPlace(world);
    await at.shelf.put("agent-session-s0123456789ab-1-1-1.1", Buffer.alloc(10), { signal });
    await at.shelf.put("agent-session-s0123456789ab-1-2-1.1", Buffer.alloc(2 * 1024 * 1024), { signal });
    const [small, large] = world.bounds;
    expect((large?.ms ?? 0) - (small?.ms ?? 0)).toBeGreaterThan(3_000);
  });
});

describe("a download", () => {
  it("that is cut at any place is refused before anything is unpacked (F45)", async () => {
    const at = await givenPlace(world);
    await at.ship(null);
    const [name = ""] = at.names();
    const whole = await world.github.artifacts.read(name);
    const codes = new Set<string>();
    for (let percent = 0; percent < 100; percent += 10) {
      const length = Math.floor((whole.length * percent) / 100);
      await world.github.artifacts.tamper(name, () => whole.subarray(0, length), { digest: "follow" });
      const found = await at.find();
      codes.add(found.kind === "refused" ? found.code : `found at ${percent} %`);
    }
    expect([...codes]).toEqual(["tampered"]);
  });

  it("that is mixed of two shipments is refused before anything is unpacked (F45)", async () => {
    const at = await givenPlace(world);
    await at.ship(await at.ship(null));
    const [one = "", two = ""] = at.names();
    const [first, second] = [await world.github.artifacts.read(one), await world.github.artifacts.read(two)];
    for (const half of [first.length / 4, first.length / 2, first.length - 20]) {
      const mixed = Buffer.concat([second.subarray(0, half), first.subarray(half)]);
      await world.github.artifacts.tamper(two, () => mixed, { digest: "follow" });
      expect(await at.find()).toMatchObject({ kind: "refused", code: "tampered" });
    }
  });

  it.each([
    ["breaks in the middle", { ...download, network: "cut" }],
    ["is shorter than it says", { ...download, change: (body: Buffer) => body.subarray(0, -1) }],
    ["is another one's", { ...download, change: () => Buffer.from("something else") }],
  ] satisfies [string, FaultRule][])(
    "that %s begins anew, and leaves nothing behind (F46)",
    async (_, fault) => {
      const at = await givenPlace(world);
      await at.ship(null);
      const before = readdirSync(world.dir);
      world.github.fail({ ...fault, times: 2 });
      expectWhole(at, await at.find());
      expect(readdirSync(world.dir)).toEqual(before);
    },
  );

  it("whose bytes are never those that were recorded is refused (F45)", async () => {
    const at = await givenPlace(world);
    await at.ship(null);
    world.github.fail({ ...download, times: 3, change: (body) => body.subarray(0, body.length / 2) });
    const refusal = await at.find();
    expect(refusal).toMatchObject({ kind: "refused", code: "gap" });
    expect(refusal.kind === "refused" && refusal.why).toContain("its bytes are not those GitHub recorded");
  });
});

describe("a session on the shelf", () => {
  it.each([
    [
      "was deleted while it was looked for",
      { path: /\/artifacts\/\d+$/, status: 404 },
      /has no such artifact/,
    ],
    ["expired while it was looked for", { path: /\/artifacts\/\d+\/zip$/, status: 410 }, /retention is over/],
  ] satisfies [string, FaultRule, RegExp][])(
    "is refused with the reason where it %s (F47)",
    async (_, fault, why) => {
      const at = await givenPlace(world);
      await at.ship(null);
      world.github.fail(fault);
      const refusal = await at.find();
      expect(refusal).toMatchObject({ kind: "refused", code: "gap", why: expect.stringMatching(why) });
    },
  );

  it("is found among more than 100 artifacts (F47)", async () => {
    const at = await givenPlace(world);
    await at.ship(await at.ship(null));
    const bytes = Buffer.from("x");
    for (let other = 0; other < 110; other += 1)
      await world.github.artifacts.plant({ name: `coverage-${other}`, run: at.run, bytes });
    expectWhole(at, await at.find());
  });

  it("is the older state whole while the listing lags, and the newest once it shows (F47)", async () => {
    const at = await givenPlace(world);
    const first = await at.ship(null);
    const older = String(at.session.files.state.log);
    await at.ship(first);
    world.github.fail({
      method: "GET",
      path: /\/runs\/\d+\/artifacts/,
      change: (body) => withoutNewest(body),
    });
    const lagging = await at.find();
    expect(lagging.kind === "found" && String(lagging.session.log)).toBe(older);
    expectWhole(at, await at.find());
  });

  it("is found past a fork's artifact of its name, which is reported (F47)", async () => {
    const at = await givenPlace(world);
    await at.ship(null);
    const fork = world.github.addRun({ ...ours, fork: "read" });
    const name = `agent-session-${sessionId()}-9-9-${fork.id}.1`;
    await world.github.artifacts.plant({ name, run: fork.id, bytes: Buffer.from("poison") });
    const found = await at.find([at.run, fork.id]);
    expectWhole(at, found);
    expect(found.kind === "found" && found.session.reported).toEqual([
      expect.stringMatching(`^${name}: .*fork`),
    ]);
  });
});

function withoutNewest(body: Buffer): Buffer {
  const listed = JSON.parse(String(body)) as { readonly artifacts: readonly unknown[] };
  return Buffer.from(JSON.stringify({ ...listed, artifacts: listed.artifacts.slice(1) }));
}
