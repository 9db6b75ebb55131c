import { APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../src/adapters/anthropic/failure.ts";

const nowMs = Date.UTC(2026, 10, 30, 12);
const hour = 3_600_000;

type Answer = {
  readonly status?: number;
  readonly type?: string;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the API's error object. */
  readonly body?: unknown;
};

/** What becomes of an answer, as the SDK gives it to us; without a status it came inside a stream. */
function failed({ status, type, message = "echo CANARY", code, headers = {}, body }: Answer) {
  const details = code === undefined ? {} : { details: { error_code: code } };
  const error = body ?? { type: "error", error: { type, message, ...details } };
  const head = new Headers(headers);
  const thrown =
    status === undefined
      ? new APIError(undefined, error as object, undefined, head, type as never)
      : APIError.generate(status, error as object, undefined, head);
  const failure = failureOf(thrown, { nowMs });
  expect(JSON.stringify(failure)).not.toContain("CANARY");
  return failure;
}

describe("a conversation that is larger than the provider takes", () => {
  const page = "<html><center>413 Request Entity Too Large CANARY</center></html>";
  const invalid = { status: 400, type: "invalid_request_error" };

  it.each<[string, Answer]>([
    ["an error of the API", { status: 413, type: "request_too_large" }],
    ["a page of the edge", { status: 413, body: page }],
    ["an error inside a stream", { type: "request_too_large" }],
    [
      "a prompt of too many tokens",
      { ...invalid, message: "prompt is too long: 214123 tokens > 200000 maximum" },
    ],
    [
      "a prompt that leaves no room for the reply",
      {
        ...invalid,
        message:
          "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease CANARY",
      },
    ],
    ["the words of a gateway", { ...invalid, message: "Input is too long for requested model." }],
    [
      "a prompt of too many tokens, told in a stream",
      { type: "invalid_request_error", message: "prompt is too long: 2 tokens > 1 maximum" },
    ],
  ])("is told apart from a bad request: %s (F5)", (_, answer) => {
    expect(failed(answer)).toMatchObject({
      verdict: "too-large",
      reason: expect.stringMatching(/^the conversation is larger than the provider takes/),
    });
  });

  it.each<[string, Answer, string]>([
    ["another sentence", { ...invalid, message: "messages.3: the prompt is too long" }, "final"],
    ["another status", { status: 429, message: "prompt is too long: 2 tokens > 1 maximum" }, "again"],
  ])("is not what it is with %s", (_, answer, verdict) => {
    expect(failed(answer)).toMatchObject({ verdict });
  });
});

describe("an image that the provider cannot read", () => {
  const invalid = { status: 400, type: "invalid_request_error" };
  const at = "messages.41.content.31.image.source.base64";

  it.each<[string, Answer]>([
    ["damaged pixels", { ...invalid, message: "Could not process image" }],
    [
      "a side too long",
      { ...invalid, message: `${at}.data: At least one of the image dimensions exceed CANARY` },
    ],
    ["a file too large", { ...invalid, message: `${at}: image exceeds 5 MB maximum: 6 bytes > 5 bytes` }],
    ["too many of them", { ...invalid, message: "Too many images and documents: 25 + 0 > 20" }],
    ["an error inside a stream", { type: "invalid_request_error", message: "Could not process image" }],
  ])("is told apart from a bad request: %s", (_, answer) => {
    expect(failed(answer)).toMatchObject({
      verdict: "unread-image",
      reason: expect.stringMatching(/^the provider cannot read an image of the conversation/),
    });
  });

  it.each<[string, Answer, string]>([
    [
      "another sentence",
      { ...invalid, message: "messages.3.content.1.text: could not process image" },
      "final",
    ],
    ["another status", { status: 500, type: "api_error", message: "Could not process image" }, "again"],
  ])("is not what it is with %s", (_, answer, verdict) => {
    expect(failed(answer)).toMatchObject({ verdict });
  });
});

describe("thinking that the provider does not take back", () => {
  const invalid = { status: 400, type: "invalid_request_error" };

  it.each<[string, Answer]>([
    [
      "without its signature",
      { ...invalid, message: "messages.1.content.0.thinking.signature: Field required" },
    ],
    [
      "with another one",
      { ...invalid, message: "messages.1.content.0: Invalid `signature` in `thinking` block" },
    ],
    [
      "hidden, of elsewhere",
      { ...invalid, message: "messages.7.content.2: Invalid `data` in `redacted_thinking` block" },
    ],
    [
      "changed",
      {
        ...invalid,
        message:
          "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
      },
    ],
  ])("is told apart from a bad request: %s", (_, answer) => {
    expect(failed(answer)).toMatchObject({
      verdict: "unfit-thinking",
      reason: expect.stringMatching(/^the provider does not take back what the model thought/),
    });
  });

  it.each<[string, Answer, string]>([
    ["another sentence", { ...invalid, message: "thinking.budget_tokens: Field required" }, "final"],
    [
      "another status",
      { status: 500, type: "api_error", message: "messages.1.content.0.thinking: no" },
      "again",
    ],
  ])("is not what it is with %s", (_, answer, verdict) => {
    expect(failed(answer)).toMatchObject({ verdict });
  });
});

describe("a longer reply than the model can give", () => {
  const sentence =
    "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for CANARY";
  const invalid = { status: 400, type: "invalid_request_error" };

  it("is told with the most that it can", () => {
    expect(failed({ ...invalid, message: sentence })).toMatchObject({
      verdict: "long-output",
      outputMax: 32_000,
    });
  });

  it.each<[string, Answer, string]>([
    ["another sentence", { ...invalid, message: "max_tokens: 0 < 1" }, "final"],
    ["another status", { status: 500, type: "api_error", message: sentence }, "again"],
  ])("is not what it is with %s", (_, answer, verdict) => {
    const told = failed(answer);
    expect(told).toMatchObject({ verdict });
    expect(told).not.toHaveProperty("outputMax");
  });
});

describe("a limit on what may be spent", () => {
  const limited = { status: 400, type: "invalid_request_error" };
  const reached = "You have reached your specified API usage limits.";
  const toMidnight = 12 * hour;

  it.each<[string, Answer, number | null]>([
    [
      "with a day and a time",
      { ...limited, message: `${reached} You will regain access on 2026-12-01 at 00:00 UTC. CANARY` },
      toMidnight,
    ],
    ["with a day", { ...limited, message: `${reached} You will regain access on 2026-12-02.` }, 36 * hour],
    [
      "of the workspace",
      {
        ...limited,
        message:
          "You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 06:30 UTC.",
      },
      18.5 * hour,
    ],
    ["with a day that has passed", { ...limited, message: `${reached} Access on 2026-11-29.` }, null],
    ["with a day that is none", { ...limited, message: `${reached} Access on 2026-13-45.` }, null],
    ["with a day that is part of something", { ...limited, message: `${reached} on 2026-12-01x` }, null],
    ["with a day that nobody means", { ...limited, message: `${reached} on 9999-01-01.` }, null],
    ["without a day", { ...limited, message: reached }, null],
    [
      "of the month",
      { status: 429, type: "rate_limit_error", code: "enforced_spend_limit_reached" },
      toMidnight,
    ],
    [
      "of the month, with a day",
      {
        status: 429,
        code: "enforced_spend_limit_reached",
        message: "Access resumes on 2026-12-03 at 00:00 UTC",
      },
      60 * hour,
    ],
    [
      "of the contract",
      { status: 429, type: "rate_limit_error", code: "contract_spend_limit_reached" },
      null,
    ],
    [
      "with a header",
      { status: 429, code: "contract_spend_limit_reached", headers: { "retry-after": "7200" } },
      2 * hour,
    ],
    ["of a linked account", { status: 402, code: "linked_organization_spend_limit_reached" }, null],
  ])("is not asked again, and says when it ends: %s (F2)", (_, answer, retryAfterMs) => {
    expect(failed(answer)).toMatchObject({
      verdict: "final",
      retryAfterMs,
      reason: expect.stringMatching(/^the spend limit of this API account is reached/),
    });
  });

  it.each<[string, Answer]>([
    ["402", { status: 402, type: "billing_error" }],
    ["an error in a stream", { type: "billing_error" }],
    ["a code", { status: 402, code: "linked_organization_billing_unavailable" }],
    [
      "no credit",
      { ...limited, message: "Your credit balance is too low to access the Anthropic API. CANARY" },
    ],
  ])("is not taken for a bill that cannot be paid: %s (F2)", (_, answer) => {
    expect(failed(answer)).toMatchObject({
      verdict: "final",
      retryAfterMs: null,
      reason: expect.stringMatching(/^the API account cannot be billed/),
    });
  });
});

describe("the time to come back", () => {
  it.each<[string, Readonly<Record<string, string>>, number | null]>([
    ["seconds", { "retry-after": "7" }, 7000],
    ["a part of a second", { "retry-after": "0.5" }, 500],
    ["nothing to wait for", { "retry-after": "0" }, 0],
    ["ms before seconds", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ["a date", { "retry-after": new Date(nowMs + 90_000).toUTCString() }, 90_000],
    ["a date that has passed", { "retry-after": new Date(nowMs - 90_000).toUTCString() }, 0],
    ["words", { "retry-after": "soon" }, null],
    ["words that an engine takes for a date", { "retry-after": "in 7" }, null],
    ["a number below zero", { "retry-after": "-5" }, null],
    ["a number that is no time", { "retry-after": "1e30" }, null],
    ["a number beyond any calendar", { "retry-after": "999999999999" }, null],
    ["nothing", {}, null],
  ])("is what the headers say: %s (F1)", (_, headers, retryAfterMs) => {
    expect(failed({ status: 429, type: "rate_limit_error", headers })).toMatchObject({
      verdict: "again",
      retryAfterMs,
    });
  });
});
