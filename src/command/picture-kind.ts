/** What the bytes of a file are, whatever its name and its sender say. */
export type PictureKind =
  | {
      readonly kind: "picture";
      readonly mediaType: MediaType;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: "other"; readonly why: string };

export type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/**
 * Reads the type, the size in pixels and whether the file is whole. The provider refuses a request with a picture that
 * it cannot read, and what was recorded is sent in every request: so what is damaged must not get in.
 */
export function pictureKind(bytes: Uint8Array): PictureKind {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const known = formats.find(({ isOne }) => isOne(file));
  if (known === undefined) return { kind: "other", why: "it is no PNG, JPEG, GIF or WebP" };
  const size = known.isWhole(file) ? known.sizeOf(file) : null;
  if (size === null || size.width < 1 || size.height < 1)
    return { kind: "other", why: "its file is damaged" };
  return { kind: "picture", mediaType: known.mediaType, ...size };
}

type Size = { readonly width: number; readonly height: number };

type Format = {
  readonly mediaType: MediaType;
  readonly isOne: (file: Buffer) => boolean;
  readonly isWhole: (file: Buffer) => boolean;
  /** Null where the header does not say it. */
  readonly sizeOf: (file: Buffer) => Size | null;
};

const formats: readonly Format[] = [
  {
    mediaType: "image/png",
    isOne: (file) => file.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n",
    isWhole: endsAfterChunks,
    sizeOf: (file) =>
      file.toString("latin1", 12, 16) === "IHDR"
        ? { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
        : null,
  },
  {
    mediaType: "image/jpeg",
    isOne: (file) => file.toString("latin1", 0, 3) === "\xff\xd8\xff",
    // Cameras and phones put data of their own behind the end.
    isWhole: (file) => file.lastIndexOf(Buffer.of(0xff, 0xd9)) > 3,
    sizeOf: frameOf,
  },
  {
    mediaType: "image/gif",
    isOne: (file) => /^GIF8[79]a$/.test(file.toString("latin1", 0, 6)),
    isWhole: (file) => file.length > 13 && file.at(-1) === 0x3b,
    sizeOf: (file) => ({ width: file.readUInt16LE(6), height: file.readUInt16LE(8) }),
  },
  {
    mediaType: "image/webp",
    isOne: (file) => /^RIFF.{4}WEBP$/s.test(file.toString("latin1", 0, 12)),
    isWhole: (file) => file.length >= 30 && file.readUInt32LE(4) + 8 <= file.length,
    sizeOf: canvasOf,
  },
];

/** Walks the chunks up to the one that ends the file. */
function endsAfterChunks(file: Buffer): boolean {
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IEND") return end <= file.length;
    at = end;
  }
  return false;
}

/** The frame header, behind segments that each say their length. */
function frameOf(file: Buffer): Size | null {
  for (let at = 2; at + 9 < file.length && file[at] === 0xff; ) {
    const marker = file[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    const isPadding = marker === 0xff;
    at += isPadding ? 1 : 2 + file.readUInt16BE(at + 2);
  }
  return null;
}

/** Three forms: lossy, lossless, and extended with a canvas of its own. */
function canvasOf(file: Buffer): Size | null {
  switch (file.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = file.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
