import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headTail } from "../../src/tools/head-tail.ts";

const bytesMax = 1_000;
const hint = () => "ask again";
const mark = /\[cut here: ([\d,]+) bytes?, ([\d,]+) line ends?; ask again\]\n/;
const number = (text: string | undefined): number => Number((text ?? "").replaceAll(",", ""));
const ends = (text: string): number => text.split("\n").length - 1;

function collect(chunks: readonly Uint8Array[]) {
  const collector = headTail(bytesMax);
  for (const chunk of chunks) collector.push(chunk);
  return collector;
}

describe("the head and tail of an output", () => {
  it("is all of it where it fits", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 6 }), (parts) => {
        const collector = collect(parts.map((part) => Buffer.from(part)));
        const text = parts.join("");
        fc.pre(Buffer.byteLength(text) < 600 && !text.includes("\0"));
        expect(collector.text(hint)).toBe(text);
        expect(collector.isCut()).toBe(false);
      }),
    );
  });

  it("never exceeds the bound and counts exactly what is left out", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "\u20ac", "\u{1F600}", " "), maxLength: 120 });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 30, maxLength: 90 }),
        fc.integer({ min: 1, max: 70 }),
        (lines, size) => {
          const whole = lines.join("\n");
          const bytes = Buffer.from(whole);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const collector = collect(chunks);
          const text = collector.text(hint);
          expect(collector.bytes()).toBe(bytes.length);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
          if (!collector.isCut()) return;
          expect(text).not.toContain("\uFFFD");
          const [found = "", cutBytes, cutEnds] = mark.exec(text) ?? [];
          const [head = "", tail = ""] = text.split(found);
          expect(whole.endsWith(tail)).toBe(true);
          const headShown = whole.startsWith(head) ? head : head.slice(0, -1);
          expect(whole.startsWith(headShown)).toBe(true);
          // A line end is put before the mark where the head does not end in one.
          const missing = number(cutBytes) + Buffer.byteLength(head) + Buffer.byteLength(tail) - bytes.length;
          expect([0, 1]).toContain(missing);
          expect(number(cutEnds) + ends(head) + ends(tail) - ends(whole)).toBe(missing);
        },
      ),
    );
  });

  it("stays within the bound when every byte shows as three", () => {
    const collector = collect([Buffer.alloc(5_000)]);
    expect(Buffer.byteLength(collector.text(hint))).toBeLessThanOrEqual(bytesMax);
    const [, cut] = mark.exec(collector.text(hint)) ?? [];
    const shown = collector.text(hint).split("\u2400").length - 1;
    expect(number(cut) + shown).toBe(5_000);
  });
});
