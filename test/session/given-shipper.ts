// A session with a shipper whose uploads are answered as a test says.
import type { Put } from "../../src/session/shelf.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper, type Shipper } from "../../src/session/shipper.ts";
import { inline } from "../kit/given.ts";
import { type Answer, expected, find, type Given, given, givenShelf, signal } from "./given-shelf.ts";

export const failed = { kind: "failed", why: "the service answered 500" } as const satisfies Put;
export const unavailable = { kind: "unavailable", why: "the quota is used up" } as const satisfies Put;

type Open = Given & { readonly shipper: Shipper; readonly said: string[] };

export async function givenShipper({
  shipSeconds = 60,
  answers = [],
}: {
  readonly shipSeconds?: number;
  readonly answers?: Answer[];
} = {}): Promise<Open> {
  const all = await given(givenShelf(answers));
  return { ...all, ...open(all, shipSeconds) };
}

function open(all: Given, shipSeconds: number): { readonly shipper: Shipper; readonly said: string[] } {
  const said: string[] = [];
  const onUnshipped = (why: string): void => {
    said.push(why);
  };
  return { said, shipper: openShipper({ ...all, last: null, shipSeconds, signal, onUnshipped }) };
}

export const note = (text: string) => ({ type: "note.added", about: "nudge", text: inline(text) }) as const;

/** Which records each stored shipment holds, in the order in which they were stored. */
export function ranges({ shelf }: Given): readonly string[] {
  return [...shelf.stored.values()].map((bytes) => {
    const unsealed = unsealShipment(bytes, expected);
    if (unsealed.kind === "refused") throw new Error(unsealed.why);
    const { number, from, to } = unsealed.header;
    return `${number}: ${from}-${to}`;
  });
}

export async function isFoundWhole(all: Given): Promise<boolean> {
  const found = await find(all.shelf);
  const log = found.kind === "found" ? Buffer.from(found.session.log) : Buffer.from(found.why);
  return log.length > 0 && Buffer.from(all.files.state.log).subarray(0, log.length).equals(log);
}

/** Until the first upload is under way. */
export async function begun({ shelf }: Given): Promise<void> {
  while (shelf.tried.length === 0) await new Promise((next) => setImmediate(next));
}
