import type { Reply } from "../../loop/model.ts";
import { BrokenStream } from "./block.ts";
import { isLimit, type Told, toldBy } from "./told.ts";

type Failed = Extract<Reply, { kind: "failed" }>;

const finalTypes = new Set([
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
]);

/**
 * An error of a request as a value. `nowMs` is wall time, for a date on which to come back.
 * Everything that is not clearly an answer of the provider is taken for trouble on the way, and may be tried again.
 */
export function failureOf(error: unknown, { nowMs }: { readonly nowMs: number }): Failed {
  const told = toldBy(error, nowMs);
  const { status, retryAfterMs } = told;
  const verdict = verdictOn(told);
  const most = verdict === "long-output" && told.outputMax !== null ? { outputMax: told.outputMax } : {};
  return { kind: "failed", verdict, reason: reasonOf(error, told), ...most, status, retryAfterMs };
}

export function cancelled(): Failed {
  return { kind: "failed", verdict: "cancelled", reason: "cancelled", status: null, retryAfterMs: null };
}

export function tooSlow(why: string): Failed {
  return { kind: "failed", verdict: "again", reason: why, status: null, retryAfterMs: null };
}

function verdictOn(told: Told): Failed["verdict"] {
  const { status, type } = told;
  if (isTooLarge(told)) return "too-large";
  if (isRefused(told, "image")) return "unread-image";
  if (isRefused(told, "thinking")) return "unfit-thinking";
  if (isRefused(told, "long-output")) return "long-output";
  if (isUnpaid(told)) return "final";
  if (status === null) return type !== null && finalTypes.has(type) ? "final" : "again";
  return status === 408 || status === 409 || status === 429 || status >= 500 ? "again" : "final";
}

/** From the API, or from the edge before it, whose answer is a page. */
function isTooLarge(told: Told): boolean {
  const { status, type } = told;
  if (status === 413 || type === "request_too_large") return true;
  return isRefused(told, "too-long");
}

/** Whether a bad request is one because of this, which the conversation can do without. */
function isRefused({ status, about }: Told, what: Told["about"]): boolean {
  return about === what && (status === null || status === 400);
}

/** Waiting a minute does not lift it, whatever its status. */
function isUnpaid(told: Told): boolean {
  return isLimit(told.code, told.about) || isUnbilled(told);
}

function isUnbilled({ status, type, code, about }: Told): boolean {
  if (status === 402 || type === "billing_error" || about === "no-credit") return true;
  return code !== null && /billing/.test(code);
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

function sentenceOf(told: Told): string {
  const { status, type } = told;
  if (isTooLarge(told)) return "the conversation is larger than the provider takes";
  if (isRefused(told, "thinking")) return "the provider does not take back what the model thought";
  if (isRefused(told, "image")) return "the provider cannot read an image of the conversation";
  if (isRefused(told, "long-output")) return "the model cannot give a reply as long as was asked for";
  if (isLimit(told.code, told.about)) return "the spend limit of this API account is reached";
  if (isUnbilled(told)) return "the API account cannot be billed";
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
    case 429:
      return "the rate limit of this API account is reached";
    case 529:
      return "the provider is overloaded";
    default:
      return status >= 500 ? "the provider failed" : "the provider refused the request";
  }
}
