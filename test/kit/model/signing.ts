import { createHash } from "node:crypto";

/**
 * Signatures that prove themselves, so that a second server (another run, another machine) can judge
 * thinking that the first one issued.
 */
export function signThinking(thinking: string): string {
  return `sig_${digest(thinking)}`;
}

/** The `data` of a redacted thinking block whose hidden content is `hidden`. */
export function redact(hidden: string): string {
  const body = Buffer.from(hidden).toString("base64url");
  return `${body}.${digest(body)}`;
}

export type Judgement = "good" | "changed" | "foreign";

export function judgeThinking(thinking: unknown, signature: unknown): Judgement {
  if (typeof signature !== "string" || !/^sig_[0-9a-f]{64}$/.test(signature)) return "foreign";
  return typeof thinking === "string" && signature === signThinking(thinking) ? "good" : "changed";
}

export function judgeRedacted(data: unknown): Judgement {
  const match = typeof data === "string" ? /^([\w-]*)\.([0-9a-f]{64})$/.exec(data) : null;
  if (!match) return "foreign";
  return digest(match[1] ?? "") === match[2] ? "good" : "changed";
}

function digest(text: string): string {
  return createHash("sha256").update(`issued by the scripted model: ${text}`).digest("hex");
}
