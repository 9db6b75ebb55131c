import { formatVersion } from "../../../src/session/upcast.ts";
import { openingOf, type Sample } from "./sample.ts";
import type { Case, Decision } from "./tally.ts";

/** Bit masks that a byte is changed with: every single bit, or every other value. */
export const singleBits: readonly number[] = Array.from({ length: 8 }, (_, bit) => 1 << bit);
export const everyValue: readonly number[] = Array.from({ length: 255 }, (_, at) => at + 1);

/** The log cut at every byte. What is announced and not acknowledged may be missing, whole or in part; nothing else. */
export function* cutLogs(sample: Sample): Iterable<Case> {
  const { manifest, log, ends } = sample;
  for (let at = 0; at < log.length; at += 1) {
    const whole = ends.filter((end) => end <= at).length;
    const start = startOf(ends, whole + 1);
    const predicted = cutPrediction(sample, { whole, start, at });
    const { decision, accepted } = openingOf({ manifest, log: log.subarray(0, at) });
    const lost = accepted !== null && accepted < startOf(ends, sample.acked + 1);
    yield { name: `${sample.name}: log cut at ${at}`, predicted, saw: decision, lost };
  }
}

function cutPrediction(
  { acked }: Sample,
  { whole, start, at }: { readonly whole: number; readonly start: number; readonly at: number },
): Decision {
  if (whole < acked) return at === start ? "refused behind" : `refused damaged ${whole + 1} at ${start}`;
  return at === start ? `clean ${whole}` : `repaired ${whole}`;
}

/** The log with one byte changed. Of a whole record every byte counts; of a torn one, that it has no newline. */
export function* flipLogs(sample: Sample, masks: readonly number[]): Iterable<Case> {
  const { manifest, ends } = sample;
  const whole = ends.length;
  for (let at = 0; at < sample.log.length; at += 1) {
    for (const mask of masks) {
      const log = flipped(sample.log, at, mask);
      const line = ends.filter((end) => end <= at).length + 1;
      const torn = line > whole && log[at] !== 10;
      const predicted = torn ? `repaired ${whole}` : `refused damaged ${line} at ${startOf(ends, line)}`;
      const { decision, accepted } = openingOf({ manifest, log });
      const lost = accepted !== null && accepted < startOf(ends, whole + 1);
      yield { name: `${sample.name}: log byte ${at} ^ ${mask}`, predicted, saw: decision, lost };
    }
  }
}

/** A manifest that was cut is none; only its last newline may be missing. */
export function* cutManifests(sample: Sample): Iterable<Case> {
  const { manifest, log } = sample;
  for (let at = 0; at < manifest.length; at += 1) {
    const predicted = at === manifest.length - 1 ? untouched(sample) : "refused no-manifest";
    const { decision, accepted } = openingOf({ manifest: manifest.subarray(0, at), log });
    const name = `${sample.name}: manifest cut at ${at}`;
    yield { name, predicted, saw: decision, lost: lacks(sample, accepted) };
  }
}

/** The manifest with one byte changed, predicted from the field that the byte stands in. */
export function* flipManifests(sample: Sample, masks: readonly number[]): Iterable<Case> {
  const fields = fieldsOf(Buffer.from(sample.manifest).toString("latin1"));
  for (let at = 0; at < sample.manifest.length; at += 1) {
    const field = fields.find(({ from, to }) => at >= from && at < to)?.name ?? "frame";
    for (const mask of masks) {
      const manifest = flipped(sample.manifest, at, mask);
      const predicted = manifestPrediction(sample, field, manifest, at);
      const { decision, accepted } = openingOf({ manifest, log: sample.log });
      const name = `${sample.name}: manifest byte ${at} (${field}) ^ ${mask}`;
      yield { name, predicted, saw: decision, lost: lacks(sample, accepted) };
    }
  }
}

type Field = "format" | "identity" | "gen" | "next.seq" | "next.hash" | "acked.seq" | "acked.hash" | "frame";

const manifestShape =
  /^\{"format":(\d),"identity":(\{.*\}),"gen":(\d),"status":"\w+","durability":"\w+","next":\{"seq":(\d),"hash":"(\w{32})"\},"acked":\{"seq":(\d),"hash":"(\w{32})"\}\}\n$/d;
const fieldNames = ["format", "identity", "gen", "next.seq", "next.hash", "acked.seq", "acked.hash"] as const;

function fieldsOf(
  text: string,
): readonly { readonly name: Field; readonly from: number; readonly to: number }[] {
  const spans = manifestShape.exec(text)?.indices;
  if (spans === undefined) throw new Error(`the manifest has another shape: ${text}`);
  return fieldNames.map((name, at) => {
    const [from, to] = spans[at + 1] ?? [0, 0];
    return { name, from, to };
  });
}

function manifestPrediction(sample: Sample, field: Field, bytes: Uint8Array, at: number): Decision {
  const none = "refused no-manifest";
  const value = jsonOf(bytes);
  if (value === null) return none;
  const digit = Number(String.fromCharCode(bytes[at] ?? 0));
  const hex = /[0-9a-f]/.test(String.fromCharCode(bytes[at] ?? 0));
  switch (field) {
    case "format":
      if (digit > formatVersion) return "refused newer-format";
      // An older one is read as well, and what follows from it stands in the records.
      return digit >= 1 ? untouched(sample) : none;
    case "identity":
      return identityPrediction(value);
    case "gen":
      return digit < 1 ? none : untouched(sample);
    case "next.seq":
      return digit === sample.acked + 1 && digit > sample.ends.length ? untouched(sample) : "refused forged";
    case "next.hash":
      if (!hex) return none;
      return sample.ends.length >= sample.next ? "refused forged" : untouched(sample);
    case "acked.seq":
      return digit > sample.ends.length ? beyond(sample) : "refused forged";
    case "acked.hash":
      return hex ? "refused forged" : none;
    case "frame":
      return at === bytes.length - 1 ? untouched(sample) : none;
  }
}

/** Four members of the identity are looked at before the log is; the others only beside the first record. */
function identityPrediction(value: unknown): Decision {
  const { identity } = value as { readonly identity: { readonly [key: string]: unknown } };
  const { session, protocol, provider, model } = identity;
  const readable = [session, provider, model].every((one) => typeof one === "string");
  return readable && typeof protocol === "number" ? "refused forged" : "refused no-manifest";
}

function beyond({ ends, log }: Sample): Decision {
  const end = startOf(ends, ends.length + 1);
  return log.length > end ? `refused damaged ${ends.length + 1} at ${end}` : "refused behind";
}

function untouched({ ends, log }: Sample): Decision {
  return `${log.length > startOf(ends, ends.length + 1) ? "repaired" : "clean"} ${ends.length}`;
}

function lacks({ ends }: Sample, accepted: number | null): boolean {
  return accepted !== null && accepted < startOf(ends, ends.length + 1);
}

/** The byte where record `seq` begins. */
function startOf(ends: readonly number[], seq: number): number {
  return seq <= 1 ? 0 : (ends[seq - 2] ?? 0);
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

export function flipped(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}
