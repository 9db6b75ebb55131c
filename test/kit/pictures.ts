import { crc32, deflateSync } from "node:zlib";

/** A whole PNG of one colour; `text` stands in it as a comment, where no viewer shows it. */
export function png({ width = 2, height = 2, text = "" } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width + 1));
  const comment = text === "" ? [] : [chunk("tEXt", Buffer.from(`Comment\0${text}`, "latin1"))];
  const chunks = [chunk("IHDR", header), ...comment, chunk("IDAT", deflateSync(rows))];
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** The smallest GIF there is: one pixel. */
export function gif(): Buffer {
  return Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
}

/** The headers of a JPEG, in front of no picture, and its end. */
export function jpeg({ width = 3, height = 4 } = {}): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const app = Buffer.from([0xff, 0xe0, 0, 4, 0xff, 0xc0]);
  return Buffer.concat([Buffer.of(0xff, 0xd8), app, Buffer.of(0xff), frame, Buffer.of(0xff, 0xd9)]);
}

/** The headers of a WebP of one of its three forms. */
export function webp(form: "VP8 " | "VP8L" | "VP8X"): Buffer {
  const file = Buffer.alloc(30);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(22, 4);
  file.write(`WEBP${form}`, 8, "latin1");
  if (form === "VP8 ") {
    file.writeUInt16LE(5, 26);
    file.writeUInt16LE(6, 28);
  } else if (form === "VP8L") file.writeUInt32LE(4 | (5 << 14), 21);
  else {
    file.writeUIntLE(4, 24, 3);
    file.writeUIntLE(5, 27, 3);
  }
  return file;
}
