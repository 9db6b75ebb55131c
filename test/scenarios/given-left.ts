import { expect } from "vitest";
import { githubClient } from "../../src/adapters/github/client.ts";
import { githubLeases } from "../../src/adapters/github/leases.ts";
import type { SessionId } from "../../src/session/id.ts";
import { decodeManifest, encodeManifest } from "../../src/session/manifest.ts";
import { encodeRecord } from "../../src/session/record.ts";
import { type ShipmentEntry, sealShipment, unsealShipment } from "../../src/session/shipment.ts";
import { handClock } from "../kit/given.ts";
import { use } from "../kit/model/script.ts";
import { keyOf, sessionOf, shipmentsOf } from "../kit/stored.ts";
import { type Asked, givenWorld, type World } from "../kit/world.ts";

export type Left = { readonly world: World; readonly asked: Asked; readonly session: SessionId };

/** A session that a run left after two turns: some shipments one after the other, and a complete one of `post`. */
export async function givenLeft(): Promise<Left> {
  const world = await givenWorld({
    inputs: { "ship-seconds": "0" },
    script: [use("read", { path: "sum.mjs" }), use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" })],
  });
  const asked = world.asked();
  const result = await world.finish(asked, { inputs: { "max-turns": "2" } });
  expect(result.outputs, result.log).toMatchObject({ outcome: "suspended", reason: "turns" });
  return { world, asked, session: sessionOf(world, asked) };
}

type Entries = readonly ShipmentEntry[];

/** Puts other content under the newest shipment's seal, as only a holder of the key could. */
export async function reseal({ world, session }: Left, change: (entries: Entries) => Entries): Promise<void> {
  const name = newest({ world, session });
  const key = keyOf(world);
  const bytes = await world.github.artifacts.read(name);
  const opened = unsealShipment(bytes, { key, repositoryId: world.github.repository.id, session });
  if (opened.kind === "refused") throw new Error(opened.why);
  const sealed = sealShipment(opened.header, change(opened.entries), { key, nonce: Buffer.alloc(12, 7) });
  await world.github.artifacts.tamper(name, () => Buffer.from(sealed), { digest: "follow" });
}

export function newest({ world, session }: Pick<Left, "world" | "session">): string {
  const name = shipmentsOf(world, session).at(-1)?.name;
  if (name === undefined) throw new Error(`nothing of ${session} is stored`);
  return name;
}

export function namesOf(world: World, session: string): readonly string[] {
  return shipmentsOf(world, session).map(({ name }) => name);
}

export const swap = (name: string, change: (bytes: Buffer) => Buffer) => (entries: Entries) =>
  entries.map((entry) => (entry.name === name ? { name, bytes: change(Buffer.from(entry.bytes)) } : entry));

export const flipped = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

export const withManifest = (change: (manifest: Record<string, unknown>) => void) =>
  swap("manifest", (bytes) => {
    const manifest = JSON.parse(String(bytes)) as Record<string, unknown>;
    change(manifest);
    return Buffer.from(`${JSON.stringify(manifest)}\n`);
  });

/** A record of a type that this version does not know, chained and announced as a later version would write it. */
export function withUnknownRecord(entries: Entries): Entries {
  const log = Buffer.from(entries.find(({ name }) => name === "log")?.bytes ?? []);
  const lines = log.toString("utf8").trimEnd().split("\n");
  const last = JSON.parse(lines.at(-1) ?? "") as { seq: number; hash: string };
  const place = { previous: last, gen: 1, at: 0 };
  const { record, bytes } = encodeRecord({ type: "mood.changed" } as never, place);
  const manifest = decodeManifest(entries.find(({ name }) => name === "manifest")?.bytes ?? null);
  if (manifest === null) throw new Error("the shipment has no manifest");
  const head = { seq: record.seq, hash: record.hash };
  const announced = Buffer.from(encodeManifest({ ...manifest, next: head, acked: head }));
  return swap("manifest", () => announced)(swap("log", (own) => Buffer.concat([own, bytes]))(entries));
}

function leasesOf({ github }: World) {
  const clock = handClock();
  const { signal } = new AbortController();
  const options = { baseUrl: github.url, token: github.jobToken, version: "0.0.0-test", clock, signal };
  const { owner, name: repo } = github.repository;
  return githubLeases({ client: githubClient(options), owner, repo, clock, signal });
}

/** A lease of a run that is over and continued from a record which the log does not have. */
export async function witness({ world, session }: Left, head: { seq: number; hash: string }): Promise<void> {
  const { id } = world.github.addRun({
    event: "workflow_dispatch",
    actor: "maintainer",
    status: "completed",
  });
  const run = { id: String(id), attempt: 1, job: "agent" };
  const { signal } = new AbortController();
  await leasesOf(world).claim({ session, gen: 2, run, head }, { signal });
}

/** A shipment of another session of this repository, sealed with the same key. */
export async function strangersShipment(world: World): Promise<string> {
  world.model.script.push(use("read", { path: "sum.mjs" }));
  const other = world.asked();
  await world.finish(other, { inputs: { "max-turns": "1" } });
  return newest({ world, session: sessionOf(world, other) });
}

/** Puts back what the shelf held, and removes the leases that a case made. */
export async function keeper({ world, session }: Left): Promise<() => Promise<void>> {
  const { artifacts } = world.github;
  const kept = await Promise.all(
    shipmentsOf(world, session).map(async ({ name, run }) => ({
      name,
      run,
      bytes: await artifacts.read(name),
    })),
  );
  return async () => {
    for (const name of namesOf(world, session)) artifacts.remove(name);
    for (const one of kept) await artifacts.plant(one);
    await leasesOf(world).release(session, { from: 2, to: 2, signal: new AbortController().signal });
  };
}

/** What a refusal must leave as it was. */
export function seen({ world, session }: Left) {
  return {
    requests: world.model.requests.length,
    shipments: namesOf(world, session),
    leases: world.github.refs(`refs/agent/${session}/`),
    branches: world.github.branches(),
  };
}

export async function expectRefused(left: Left, code: string, says: string, inputs = {}): Promise<void> {
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
