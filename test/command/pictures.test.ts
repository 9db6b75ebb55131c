import { describe, expect, it } from "vitest";
import { memoryPictures } from "../../src/adapters/memory/pictures.ts";
import { maskOf } from "../../src/base/masking.ts";
import { pictureKind } from "../../src/command/picture-kind.ts";
import type { Pictures } from "../../src/command/pictures.ts";
import { pictureLimits, roomBeside, takePictures } from "../../src/command/take-pictures.ts";
import { gif, jpeg, png, webp } from "../kit/pictures.ts";

const damaged = { kind: "other", why: "its file is damaged" };
const unknown = { kind: "other", why: "it is no PNG, JPEG, GIF or WebP" };
const picture = (mediaType: string, width: number, height: number) => ({
  kind: "picture",
  mediaType,
  width,
  height,
});

describe("what a file is", () => {
  it.each([
    ["a PNG", png({ width: 7, height: 5 }), picture("image/png", 7, 5)],
    ["a JPEG, behind a segment that looks like its header", jpeg(), picture("image/jpeg", 3, 4)],
    ["a GIF", gif(), picture("image/gif", 1, 1)],
    ["a lossy WebP", webp("VP8 "), picture("image/webp", 5, 6)],
    ["a lossless WebP", webp("VP8L"), picture("image/webp", 5, 6)],
    ["an extended WebP", webp("VP8X"), picture("image/webp", 5, 6)],
    ["a PNG without its end", png().subarray(0, -1), damaged],
    ["a PNG of no size", png({ width: 0 }), damaged],
    ["a JPEG without its end", jpeg().subarray(0, -1), damaged],
    ["a GIF without its end", gif().subarray(0, -1), damaged],
    ["a WebP without its end", webp("VP8L").subarray(0, -1), damaged],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), unknown],
    ["a page", Buffer.from("<!doctype html>"), unknown],
    ["nothing", Buffer.alloc(0), unknown],
  ])("is told from its bytes: %s", (_, bytes, kind) => {
    expect(pictureKind(bytes)).toEqual(kind);
  });

  it("is told of every beginning of a file without reading over its end", () => {
    const files = [png(), gif(), jpeg(), webp("VP8 "), webp("VP8L"), webp("VP8X")];
    for (const file of files)
      for (let length = 0; length < file.length; length += 1)
        expect(pictureKind(file.subarray(0, length)).kind).toBe("other");
  });
});

const secret = "ghs_0123456789abcdef";
const password = "SecretSecret1234";
const room = roomBeside({ count: 0, characters: 0 });
const large = png({ width: 3000, height: 1100, text: "x".repeat(3_000_000) });

async function take(files: Readonly<Record<string, Uint8Array>>, { text = "", left = room } = {}) {
  const all =
    text ||
    Object.keys(files)
      .map((name) => `![](https://h.x/${name})`)
      .join(" ");
  const named = Object.entries(files).map(([name, bytes]) => [`https://h.x/${name}`, bytes] as const);
  const taken = await takePictures([{ text: all, place: null }], {
    pictures: memoryPictures(Object.fromEntries(named)),
    mask: maskOf([secret, password]),
    room: left,
    signal: new AbortController().signal,
  });
  const shown = [...taken.shown].map(([url, what]) => [
    url.slice(12),
    what.kind === "shown" ? what.number : what.why,
  ]);
  return { pictures: taken.pictures, shown };
}

describe("the pictures that the model is shown", () => {
  it("are numbered in the order of the text, and sent as they are", async () => {
    const { pictures, shown } = await take({ a: png(), b: Buffer.from("<svg/>"), c: gif() });
    expect(pictures).toEqual([
      { mediaType: "image/png", data: png().toString("base64") },
      { mediaType: "image/gif", data: gif().toString("base64") },
    ]);
    expect(shown).toEqual([
      ["a", 1],
      ["b", "it is no PNG, JPEG, GIF or WebP"],
      ["c", 2],
    ]);
  });

  it.each([
    ["is not there", { text: "![](https://h.x/a)" }, {}, "it is not stored here"],
    [
      "is too large for the provider",
      {},
      { a: Buffer.concat([gif(), Buffer.alloc(3_932_160)]) },
      "it is larger than 3932160 bytes",
    ],
    [
      "has too many pixels",
      {},
      { a: png({ width: 8001, height: 1 }) },
      "it has more than 8000 pixels in a row",
    ],
    [
      "carries a secret in its file",
      {},
      { a: png({ text: `by ${secret}` }) },
      "it holds a secret of this run",
    ],
    [
      "would be damaged by masking",
      {},
      {
        // Three bytes are four letters: behind 42 of them the password stands in the base64 as it is.
        a: Buffer.concat([gif(), Buffer.from(password, "base64"), Buffer.of(0x3b)]),
      },
      "it holds a secret of this run",
    ],
    ["finds no room any more", { left: { count: 0, bytes: 1000 } }, { a: gif() }, "there are more than 0"],
    [
      "finds no room for its bytes",
      { left: { count: 1, bytes: 41 } },
      { a: gif() },
      "together they are too large",
    ],
  ])("do not hold one that %s", async (_, how, files, why) => {
    const { shown } = await take(files, how);
    expect(shown).toEqual([["a", why]]);
  });

  it("are at most eight of an input", async () => {
    const files = Object.fromEntries("abcdefghij".split("").map((name) => [name, gif()]));
    const { pictures, shown } = await take(files);
    expect(pictures.length).toBe(pictureLimits.countMax);
    expect(shown.slice(0, 2)).toEqual([
      ["i", "there are more than 8"],
      ["j", "there are more than 8"],
    ]);
  });

  it("are together no more than a request can hold", async () => {
    const files = Object.fromEntries("abcde".split("").map((name) => [name, large]));
    const { pictures, shown } = await take(files);
    expect(pictures.length).toBe(4);
    expect(shown.at(-1)).toEqual(["e", "together they are too large"]);
    const characters = pictures.reduce((sum, { data }) => sum + data.length, 0);
    expect(roomBeside({ count: 4, characters })).toEqual({
      count: 16,
      bytes: 12 * 1024 * 1024 - 12 * Math.ceil(large.length / 3),
    });
  });

  it("are asked for at the place of their text, each once", async () => {
    const asked: unknown[] = [];
    const pictures: Pictures = {
      fetch: async (urls, { place }) => {
        asked.push([urls, place]);
        return urls.map(() => ({ kind: "none", why: "no" }));
      },
    };
    const { signal } = new AbortController();
    const body = { kind: "thread", number: 3 } as const;
    const texts = [
      { text: "![](https://h.x/a)", place: null },
      { text: "![](https://h.x/b) ![](https://h.x/a) ![](c.png)", place: body },
    ];
    await takePictures(texts, { pictures, mask: (text) => text, room, signal });
    expect(asked).toEqual([
      [["https://h.x/a"], null],
      [["https://h.x/b"], body],
    ]);
  });
});
