/** What a file's bytes are, as far as a reader of text needs to know. */
export type FileKind = { readonly kind: "text" } | { readonly kind: "binary"; readonly guess: string };

/** Git's own rule: a NUL in the first 8,000 bytes makes a file binary. */
const looksAt = 8_000;

const magics: readonly (readonly [start: string, guess: string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["474946383", "a GIF image"],
  ["52494646", "a RIFF file, such as WebP or WAV"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive, such as jar or docx"],
  ["1f8b", "gzip data"],
  ["28b52ffd", "zstd data"],
  ["fd377a585a00", "xz data"],
  ["425a68", "bzip2 data"],
  ["7f454c46", "an ELF executable or library"],
  ["4d5a", "a Windows executable"],
  ["cffaedfe", "a Mach-O executable"],
  ["cafebabe", "a Java class or Mach-O file"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d617420", "an SQLite database"],
  ["774f4646", "a WOFF font"],
  ["774f4632", "a WOFF2 font"],
  ["fffe", "UTF-16 text, little-endian; `iconv -f UTF-16 -t UTF-8` in the shell shows it"],
  ["feff", "UTF-16 text, big-endian; `iconv -f UTF-16 -t UTF-8` in the shell shows it"],
];

export function fileKind(bytes: Uint8Array): FileKind {
  const start = Buffer.from(bytes.subarray(0, looksAt));
  // A PDF may hold no NUL near its beginning, and is no text all the same.
  const hex = start.subarray(0, 16).toString("hex");
  const known = magics.find(([magic]) => hex.startsWith(magic));
  if (start.includes(0)) return { kind: "binary", guess: known?.[1] ?? "of an unknown type" };
  if (hex.startsWith("25504446") && known) return { kind: "binary", guess: known[1] };
  return { kind: "text" };
}
