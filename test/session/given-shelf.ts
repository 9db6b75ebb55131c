import { type MemoryFiles, memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import { type Find, findSession } from "../../src/session/find.ts";
import type { Lease } from "../../src/session/leases.ts";
import { createJournal, type OpenJournal } from "../../src/session/open-journal.ts";
import type { Put, Shelf, ShelfItem } from "../../src/session/shelf.ts";
import { type Shipped, type Shipping, sendShipment } from "../../src/session/ship.ts";
import { sealKeyOf } from "../../src/session/shipment.ts";
import { handClock, identity, inline, opened, sessionId } from "../kit/given.ts";

export const key = sealKeyOf("sk-secret-key-1", 1296269);
export const signal = new AbortController().signal;
export const expected = { key, repositoryId: 1296269, session: sessionId() };

/** What a put is answered with: `lost` stores the bytes and says that it failed; a promise is waited for first. */
export type Answer = Put | { readonly kind: "lost" } | Promise<Put | { readonly kind: "lost" }>;

export type GivenShelf = Shelf & {
  readonly stored: Map<string, Uint8Array>;
  readonly foreign: Set<string>;
  readonly expired: Set<string>;
  /** Names in the order in which they were tried. */
  readonly tried: string[];
  /** Names whose bytes were asked for. */
  readonly read: string[];
  /** The answers to the next puts; what is not scripted is stored. */
  readonly answers: Answer[];
};

/** A shelf in memory whose answers to puts can be scripted. As with artifacts, a name is taken once in a run. */
export function givenShelf(answers: Answer[] = []): GivenShelf {
  const stored = new Map<string, Uint8Array>();
  const foreign = new Set<string>();
  const expired = new Set<string>();
  const tried: string[] = [];
  const read: string[] = [];
  const item = (name: string, bytes: Uint8Array): ShelfItem => ({
    id: name,
    name,
    bytes: bytes.length,
    expired: expired.has(name),
    run: "1",
    foreign: foreign.has(name) ? "another repository" : null,
  });
  return {
    stored,
    foreign,
    expired,
    tried,
    read,
    answers,
    put: async (name, bytes) => {
      tried.push(name);
      const answer = await answers.shift();
      if (answer !== undefined && answer.kind !== "lost") return answer;
      if (stored.has(name)) return { kind: "taken" };
      stored.set(name, bytes);
      return answer === undefined ? { kind: "stored", id: name } : { kind: "failed", why: "no answer" };
    },
    list: async () => [...stored].map(([name, bytes]) => item(name, bytes)),
    get: async ({ name }) => {
      read.push(name);
      const bytes = stored.get(name);
      return bytes === undefined ? { kind: "missing", why: "gone" } : { kind: "bytes", bytes };
    },
  };
}

let nonces = 0;

export function shippingTo(
  shelf: Shelf,
  run = "1",
): Shipping & { readonly clock: ReturnType<typeof handClock> } {
  return {
    shelf,
    key,
    run: { id: run, attempt: 1, job: "agent" },
    workflow: ".github/workflows/agent.yml",
    clock: handClock(),
    nonce: () => {
      nonces += 1;
      const nonce = Buffer.alloc(12);
      nonce.writeUInt32BE(nonces);
      return nonce;
    },
    pack: async ({ have, want }) => Buffer.from(`pack of ${want.join()} over ${have.join()}`),
  };
}

export type Given = {
  readonly files: MemoryFiles;
  readonly journal: OpenJournal;
  readonly shelf: GivenShelf;
  readonly shipping: ReturnType<typeof shippingTo>;
};

export async function given(shelf = givenShelf()): Promise<Given> {
  const files = memorySessionFiles();
  const journal = createJournal(identity(), {
    files,
    clock: handClock(),
    mask: maskOf([]),
    durability: "process",
  });
  await journal.append(opened());
  return { files, journal, shelf, shipping: shippingTo(shelf) };
}

/** The same, with the task recorded: before that there is nothing for a post step to keep. */
export async function givenTask(): Promise<Given> {
  const all = await given();
  await all.journal.append(task);
  return all;
}

export const task = { type: "input.accepted", id: "comment:1", by: "octo", text: inline("fix") } as const;

export async function send(
  { files, journal, shipping }: Pick<Given, "files" | "journal" | "shipping">,
  since: Shipped | null,
  number: number,
): Promise<Shipped> {
  const sent = await sendShipment(await journal.snapshot(), since, number, { files, shipping, signal });
  if (sent.kind !== "sent") throw new Error(`nothing was sent: ${JSON.stringify(sent)}`);
  return sent.shipped;
}

export function find(shelf: Shelf, claims: readonly Lease[] = []): Promise<Find> {
  return findSession(sessionId(), { shelf, runs: ["1"], key, repositoryId: 1296269, claims, signal });
}
