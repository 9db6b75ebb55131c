import type { Case, Step } from "../case.ts";
import { around, closing, lost, streamNames, told } from "../steps.ts";
import { boundariesOf, encode, streams } from "../streams.ts";

/** How long silence is borne, ms. */
export const patience = { firstByte: 120_000, idle: 90_000, progress: 600_000 } as const;

const ways = ["end", "hang-up", "reset", "stall"] as const;

/** A stream that is cut behind any of its bytes, and one that never begins. */
export function* cuts(): Generator<Case> {
  for (const name of streamNames) {
    const bytes = encode(streams[name]);
    for (const kind of ways) {
      // A stream that stands still is told of below; behind its end nobody waits for more.
      const row = kind === "end" ? "F9" : "F8";
      for (let at = 0; at < bytes.length && kind !== "stall"; at += 1) {
        const cut = lost({ bytes: bytes.subarray(0, at), ends: { kind } });
        yield { name: `${name}: ${kind} at byte ${at}`, row, steps: around(name, [cut]) };
      }
      const whole = told(streams[name], { ends: { kind } });
      const steps = name === "talk" ? [whole] : closing([whole]);
      yield { name: `${name}: ${kind} behind its last byte`, row, steps };
      if (kind === "end" || kind === "stall") continue;
      const mute = lost({ bytes: Buffer.alloc(0), silent: true, ends: { kind } });
      yield { name: `${name}: ${kind} before any byte`, row, steps: around(name, [mute]) };
    }
  }
}

/** Silence before the first byte, behind the headers and behind each event, with and without signs of life. */
export function* silences(): Generator<Case> {
  const beat = (event: object & { readonly type: string }) => encode([{ ...event }]);
  for (const name of streamNames) {
    const mute = lost({ bytes: Buffer.alloc(0), silent: true, ends: { kind: "stall" } }, patience.firstByte);
    yield { name: `${name}: silence before any byte`, row: "F10", steps: around(name, [mute]) };
    const bytes = encode(streams[name]);
    const ends = boundariesOf(streams[name]).slice(0, -1);
    for (const [k, at] of ends.entries()) {
      const begun = bytes.subarray(0, at);
      const stall = lost({ bytes: begun, ends: { kind: "stall" } }, patience.idle);
      yield { name: `${name}: silence behind ${k} events`, row: "F11", steps: around(name, [stall]) };
      const signs = {
        pings: beat({ type: "ping" }),
        comments: Buffer.from(": still here\n\n"),
        "unknown events": beat({ type: "weather" }),
        "bytes of a line that never ends": Buffer.from("x"),
        ...emptyPieces(name, k),
      };
      for (const [sign, drip] of Object.entries(signs)) {
        const alive = lost(
          { bytes: begun, ends: { kind: "drip", bytes: drip, everyMs: 15_000 } },
          patience.progress,
        );
        yield { name: `${name}: ${sign} behind ${k} events`, row: "F11", steps: around(name, [alive]) };
      }
    }
    const slow = { kind: "drip", bytes: Buffer.from("x"), everyMs: 89_000 } as const;
    const last = lost({ bytes: bytes.subarray(0, -1), ends: slow }, patience.progress);
    yield { name: `${name}: slow bytes behind nearly all`, row: "F11", steps: around(name, [last]) };
  }
}

/** Where a block is open, pieces of it that hold nothing. */
function emptyPieces(name: (typeof streamNames)[number], k: number): Readonly<Record<string, Buffer>> {
  const last = streams[name].slice(0, k).findLast(({ type }) => type !== "ping");
  if (last?.type !== "content_block_delta") return {};
  const delta = last["delta"] as Readonly<Record<string, unknown>>;
  const nothing = Object.fromEntries(
    Object.entries(delta).map(([key, value]) => [key, key === "type" ? value : ""]),
  );
  return { "empty pieces": encode([{ ...last, delta: nothing }]) };
}

/** Bytes split anywhere, in every form in which the format may come. */
export function* splits(): Generator<Case> {
  const forms = {
    plain: {},
    CRLF: { eol: "\r\n" },
    CR: { eol: "\r" },
    "many lines": { manyLines: true },
    "many lines, CRLF": { manyLines: true, eol: "\r\n" },
    "no spaces, comments": { noSpace: true, extras: true },
    "byte order mark": { bom: true },
  } as const;
  for (const name of streamNames) {
    for (const [form, how] of Object.entries(forms)) {
      const { length } = encode(streams[name], how);
      const single = Array.from({ length: length - 1 }, (_, i) => i + 1);
      const step = told(streams[name], { form: how });
      const as = (splitAt: readonly number[], where: string): Case => {
        const split: Step = { ...step, delivery: { ...step.delivery, splits: splitAt } };
        const steps = name === "talk" ? [split] : closing([split]);
        return { name: `${name}, ${form}: ${where}`, row: "F22", steps };
      };
      yield as(single, "each byte by itself");
      for (const size of [2, 3, 7]) {
        yield as(
          single.filter((at) => at % size === 0),
          `${size} bytes at a time`,
        );
      }
      if (form !== "plain" && name !== "work") continue;
      for (const at of single) yield as([at], `split at byte ${at}`);
    }
  }
}
