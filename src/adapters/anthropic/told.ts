/**
 * What an error of the SDK may tell. Nothing else of it is ever passed on, since messages and bodies may echo the
 * key or the conversation.
 */
export type Told = {
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly requestId: string | null;
  /** What the message is about, where it is a sentence that the API is known for. */
  readonly about: "too-long" | "spend-limit" | "no-credit" | "image" | "thinking" | "long-output" | null;
  /** With `long-output`: the most tokens of it that the model gives. */
  readonly outputMax: number | null;
  /** ms from now until the provider may be asked again, where it says so. */
  readonly retryAfterMs: number | null;
};

const longOutput =
  /^max_tokens: \d{1,9} > (\d{1,9}), which is the maximum allowed number of output tokens\b/i;

/** The API has no code for these, so they are told by their first words; in others' words they stay a bad request. */
const sentences = [
  [
    "too-long",
    /^(prompt is too long|input is too long|input length and `?max_tokens`? exceed context limit)\b/i,
  ],
  ["spend-limit", /^you have reached your specified (workspace )?api usage limits\b/i],
  ["no-credit", /^your credit balance is too low\b/i],
  ["long-output", longOutput],
  // Of damaged pixels it does not say where they stand; of everything else it does.
  ["image", /^(could not process image\b|too many images\b|messages\.\d+\.content\.\d+\.image\b)/i],
  // A signature that did not come with it, or is not this endpoint's; some endpoints give none and want it back so.
  [
    "thinking",
    /^messages\.\d+\.content\.\d+(\.(redacted_)?thinking\b|: invalid `(signature|data)` in `(redacted_)?thinking`|: `thinking` or `redacted_thinking` blocks\b)/i,
  ],
] as const;

/** A limit for the month; it ends with the month. */
const monthlyLimit = "enforced_spend_limit_reached";

const dayMs = 86_400_000;
/** Whoever says to come back later than this does not mean it. */
const laterMs = 400 * dayMs;

/** `nowMs` is wall time. */
export function toldBy(error: unknown, nowMs: number): Told {
  const { status, headers, type, errorCode, apiMessage } = (
    typeof error === "object" && error !== null ? error : {}
  ) as Readonly<Record<string, unknown>>;
  const head = headers instanceof Headers ? headers : null;
  const said = typeof apiMessage === "string" ? apiMessage.trim() : "";
  const about = sentences.find(([, pattern]) => pattern.test(said))?.[0] ?? null;
  const code = word(errorCode);
  const endMs = isLimit(code, about) ? endOfLimit(said, code, nowMs) : null;
  const retryAfterMs = endMs ?? retryAfterOf(head, nowMs);
  return {
    status: typeof status === "number" ? status : null,
    type: word(type),
    code,
    requestId: word(head?.get("request-id")),
    about,
    outputMax: about === "long-output" ? Number(longOutput.exec(said)?.[1]) : null,
    retryAfterMs: retryAfterMs === null || retryAfterMs > laterMs ? null : retryAfterMs,
  };
}

/** Whether the account, not the request, is what stops it, until somebody pays or a date has come. */
export function isLimit(code: string | null, about: Told["about"]): boolean {
  return about === "spend-limit" || (code !== null && /spend_limit_reached/.test(code));
}

/** A name such as the API gives to things; anything longer or stranger is not passed on. */
function word(value: unknown): string | null {
  return typeof value === "string" && /^[A-Za-z0-9_]{1,48}$/.test(value) ? value : null;
}

/**
 * ms until the limit ends: the one date in the message, the only words of it that are used, or the end of the month
 * for the limit of a month. Null where neither is known, or the date has passed.
 */
function endOfLimit(said: string, code: string | null, nowMs: number): number | null {
  const [, day, time = "00:00"] =
    /\bon (\d{4}-\d{2}-\d{2})(?: at (\d{2}:\d{2}) UTC)?(?![\w-])/.exec(said) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}:00Z`);
  if (at > nowMs) return at - nowMs;
  if (code !== monthlyLimit) return null;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - nowMs;
}

/** ms, from the header that counts in ms, from seconds, or from a date. Null where none makes sense. */
function retryAfterOf(headers: Headers | null, nowMs: number): number | null {
  const number = (text: string | null | undefined) =>
    text !== null && text !== undefined && /^\d{1,12}(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
  const ms = number(headers?.get("retry-after-ms"));
  if (ms !== null) return ms;
  const text = headers?.get("retry-after")?.trim() ?? "";
  const seconds = number(text);
  if (seconds !== null) return seconds * 1000;
  // The engine finds a date in almost any words.
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
