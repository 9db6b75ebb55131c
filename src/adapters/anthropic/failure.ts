import type { Reply } from "../../loop/model.ts";
import { BrokenStream } from "./block.ts";

type Failed = Extract<Reply, { kind: "failed" }>;

/** What an error of the SDK may tell; nothing else of it is ever passed on, since bodies may echo the key. */
type Told = {
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly headers: Headers | null;
};

const finalTypes = new Set([
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
]);

/** Codes of a limit that waiting a minute does not lift. */
const spendLimit = /spend_limit_reached|billing/;

/**
 * An error of a request as a value. `nowMs` is wall time, for a `retry-after` that is a date.
 * Everything that is not clearly an answer of the provider is taken for trouble on the way, and may be tried again.
 */
export function failureOf(error: unknown, { nowMs }: { readonly nowMs: number }): Failed {
  const told = toldBy(error);
  const verdict = isFinal(told) ? "final" : "again";
  const reason = reasonOf(error, told);
  const retryAfterMs = told.headers === null ? null : retryAfterOf(told.headers, nowMs);
  return { kind: "failed", verdict, reason, status: told.status, retryAfterMs };
}

export function cancelled(): Failed {
  return { kind: "failed", verdict: "cancelled", reason: "cancelled", status: null, retryAfterMs: null };
}

export function tooSlow(why: string): Failed {
  return { kind: "failed", verdict: "again", reason: why, status: null, retryAfterMs: null };
}

function isFinal({ status, type, code }: Told): boolean {
  if (code !== null && spendLimit.test(code)) return true;
  if (status === null) return type !== null && finalTypes.has(type);
  return !(status === 408 || status === 409 || status === 429 || status >= 500);
}

function reasonOf(error: unknown, told: Told): string {
  if (error instanceof BrokenStream) return `the reply was cut or broken: ${error.message}`;
  const { status, type, code, requestId } = told;
  const details = [status === null ? null : `HTTP ${status}`, type, code, requestId].filter(
    (detail) => detail !== null,
  );
  const inBrackets = details.length === 0 ? "" : ` (${details.join(", ")})`;
  return `${sentenceOf(told)}${inBrackets}`;
}

function sentenceOf({ status, type, code }: Told): string {
  if (code !== null && spendLimit.test(code)) return "the spend limit of this API account is reached";
  if (type === "billing_error" || status === 402) return "the API account cannot be billed";
  switch (status) {
    case null:
      return type === null ? "the connection failed" : "the provider broke the reply off";
    case 400:
      return "the provider does not take this request";
    case 401:
      return "the API key is not accepted";
    case 403:
      return "the API key may not make this request";
    case 404:
      return "the provider does not know this model or address";
    case 413:
      return "the conversation is larger than the provider takes";
    case 429:
      return "the rate limit of this API account is reached";
    case 529:
      return "the provider is overloaded";
    default:
      return status >= 500 ? "the provider failed" : "the provider refused the request";
  }
}

function toldBy(error: unknown): Told {
  const fields = (typeof error === "object" && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  const { status, headers } = fields;
  const head = headers instanceof Headers ? headers : null;
  return {
    status: typeof status === "number" ? status : null,
    type: word(fields["type"]),
    code: word(fields["errorCode"]),
    requestId: word(head?.get("request-id")),
    headers: head,
  };
}

/** A name such as the API gives to things; anything longer or stranger is not passed on. */
function word(value: unknown): string | null {
  return typeof value === "string" && /^[A-Za-z0-9_]{1,48}$/.test(value) ? value : null;
}

/** ms, from seconds, a date, or the header that counts in ms. Null where none makes sense. */
function retryAfterOf(headers: Headers, nowMs: number): number | null {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get("retry-after");
  if (text === null || text.trim() === "") return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
