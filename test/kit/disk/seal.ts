import { sealKeyOf, sealShipment, unsealShipment } from "../../../src/session/shipment.ts";
import { formatVersion } from "../../../src/session/upcast.ts";
import { sessionId, someSha } from "../given.ts";
import { flipped } from "./damage.ts";
import type { Sample } from "./sample.ts";
import type { Case, Decision } from "./tally.ts";

const key = sealKeyOf("sk-secret-key-1", 1296269);
const expected = { key, repositoryId: 1296269, session: sessionId() };

export type Sealed = {
  readonly bytes: Uint8Array;
  readonly header: { readonly from: number; readonly to: number };
};

/** A complete shipment of the sample: its log and its manifest under one seal. */
export function givenSealed(sample: Sample): Sealed {
  const header = {
    ...{
      format: formatVersion,
      keyId: key.id,
      repositoryId: 1296269,
      thread: 7,
      session: sessionId(),
      gen: 1,
      number: 1,
    },
    ...{ from: 1, to: sample.ends.length, previous: null, baseSha: someSha, configSha: someSha },
    ...{ workflow: ".github/workflows/agent.yml", run: { id: "1", attempt: 1, job: "agent" } },
  };
  const entries = [
    { name: "log", bytes: sample.log },
    { name: "manifest", bytes: sample.manifest },
  ];
  const bytes = sealShipment(header, entries, { key, nonce: Buffer.alloc(12, 1) });
  const from = bytes.indexOf(123);
  return { bytes, header: { from, to: from + Buffer.byteLength(JSON.stringify(header)) } };
}

/** Cut at every byte: nothing of it is unpacked. */
export function* cutSeals({ bytes }: Sealed): Iterable<Case> {
  for (let at = 0; at < bytes.length; at += 1) {
    const saw = decide(bytes.subarray(0, at));
    yield { name: `shipment cut at ${at}`, predicted: "refused tampered", saw, lost: saw === "clean" };
  }
}

/** One byte changed: the header's key and format are looked at before the seal, so they have codes of their own. */
export function* flipSeals(sealed: Sealed, masks: readonly number[]): Iterable<Case> {
  for (let at = 0; at < sealed.bytes.length; at += 1) {
    for (const mask of masks) {
      const bytes = flipped(sealed.bytes, at, mask);
      const predicted = predict(sealed, bytes, at);
      const saw = decide(bytes);
      yield { name: `shipment byte ${at} ^ ${mask}`, predicted, saw, lost: saw === "clean" };
    }
  }
}

function predict({ header }: Sealed, bytes: Uint8Array, at: number): Decision {
  if (at < header.from || at >= header.to) return "refused tampered";
  try {
    const text = Buffer.from(bytes.subarray(header.from, header.to)).toString("utf8");
    const { format, keyId } = JSON.parse(text) as { readonly format?: unknown; readonly keyId?: unknown };
    if (typeof format === "number" && format > formatVersion) return "refused newer-format";
    if (typeof keyId === "string" && keyId !== key.id) return "refused other-key";
    return "refused tampered";
  } catch {
    return "refused tampered";
  }
}

function decide(bytes: Uint8Array): Decision {
  const result = unsealShipment(bytes, expected);
  return result.kind === "refused" ? `refused ${result.code}` : "clean";
}
