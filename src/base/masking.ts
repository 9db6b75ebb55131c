import { partsMask } from "./secret-parts.ts";

/** Replaces every known secret, the forms it usually travels in, and long parts of both, by `***`. */
export type Mask = (text: string) => string;

/** Shorter secrets would blank out ordinary text. */
const secretLengthMin = 8;

/**
 * The forms of one secret that are worth masking: as it is, base64 (also as basic auth), hex, URL-encoded, JSON-escaped,
 * and each of its lines, since most places show text line by line.
 */
export function formsOf(secret: string): readonly string[] {
  if (secret.length < secretLengthMin) return [];
  const bytes = Buffer.from(secret, "utf8");
  const basic = Buffer.from(`x-access-token:${secret}`, "utf8").toString("base64");
  const forms = [
    secret,
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    basic,
    ...secret.split(/\r\n|\r|\n/).filter((line) => line.length >= secretLengthMin),
  ];
  return [...new Set(forms)];
}

export function maskOf(secrets: readonly string[]): Mask {
  const forms = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length);
  if (forms.length === 0) return (text) => text;
  const withoutParts = partsMask(secrets);
  return (text) => withoutParts(forms.reduce((masked, form) => masked.replaceAll(form, "***"), text));
}
