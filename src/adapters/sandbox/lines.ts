/** No line of the protocol may be longer: a stored output of 8 MiB in which every byte needs a JSON escape. */
const protocolLineBytesMax = 64 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines. `onOverflow` is called once, when a line grows beyond the limit; what follows
 * is dropped, because nothing after it can be told apart.
 */
export function lineReader(options: {
  readonly onLine: (line: string) => void;
  readonly onOverflow: () => void;
}): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let broken = false;
  return (chunk) => {
    let from = 0;
    while (!broken) {
      const end = chunk.indexOf(0x0a, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      heldBytes += piece.length;
      if (heldBytes > protocolLineBytesMax) {
        broken = true;
        held = [];
        options.onOverflow();
        return;
      }
      held.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(held).toString("utf8");
      held = [];
      heldBytes = 0;
      from = end + 1;
      options.onLine(line);
    }
  };
}

/** The first `bytesMax` bytes of a text, cut between characters. */
export function clipText(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const bytes = Buffer.from(text).subarray(0, bytesMax);
  let end = bytes.length;
  // A UTF-8 continuation byte starts with the bits 10: step back to the start of the character that was cut.
  while (end > 0 && ((Buffer.from(text)[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString("utf8");
}
