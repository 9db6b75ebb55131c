import type { Mask } from "./masking.ts";

/** The mask for what leaves this machine: of a line that holds a secret in disguise nothing is left. */
export function strictMask(mask: Mask): Mask {
  return (text) => {
    // Written as codes, a secret goes over many lines, none of which holds it.
    const masked = mask(text).replace(codes, (run) =>
      mask(readCodes(run)) === readCodes(run) ? run : "***",
    );
    if (!holdsSecret(masked, mask)) return masked;
    return masked
      .split("\n")
      .map((line) => (holdsSecret(line, mask) ? "***" : line))
      .join("\n");
  };
}

/**
 * Whether a text holds a secret that the mask knows, also where it is reversed, shifted by 13 letters, or part of
 * something encoded. These are the usual ways; one who hides a secret with skill is held off by the sandbox.
 */
export function holdsSecret(text: string, mask: Mask): boolean {
  const changes = (one: string): boolean => mask(one) !== one;
  if (changes(text) || changes(turned(text)) || changes(shifted(text))) return true;
  for (const decoded of decodings(text)) if (changes(decoded)) return true;
  return false;
}

function turned(text: string): string {
  return Array.from(text).reverse().join("");
}

/** By 13 letters, which a second time undoes. */
function shifted(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter < "a" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/** Whatever in it could be encoded text, decoded. A secret can begin anywhere in a group of base64. */
function* decodings(text: string): Generator<string> {
  const base64 = text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? [];
  for (let skip = 0; skip < 4; skip++) yield all(base64, (run) => decoded(run.slice(skip), "base64"));
  const hex = text.match(/[0-9a-f]{16,}/gi) ?? [];
  for (let skip = 0; skip < 2; skip++) yield all(hex, (run) => decoded(run.slice(skip), "hex"));
  // `%41`, `\x41`, `\u0041`, `&#65;`
  yield text
    .replace(/(?:%|\\x|\\u00)([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/&#(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)));
  yield all(text.match(codes) ?? [], readCodes);
}

const codes = /(?:\d{2,3}[\s,;]{1,4}){7,}\d{2,3}/g;

function readCodes(run: string): string {
  return (run.match(/\d+/g) ?? []).map((code) => String.fromCharCode(Number(code))).join("");
}

function all(runs: readonly string[], read: (run: string) => string): string {
  return runs.map(read).join("\n");
}

function decoded(run: string, encoding: "base64" | "hex"): string {
  return Buffer.from(run, encoding).toString("latin1");
}
