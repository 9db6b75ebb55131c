import type { Case, Step } from "../case.ts";
import { startOfTime } from "../clock.ts";
import type { Meaning } from "../grammar.ts";
import { secret } from "../stage.ts";
import { around, good, lost, streamNames, told } from "../steps.ts";
import { encode, streams } from "../streams.ts";

const minute = 60_000;
/** The clock starts at noon of the last day of November. */
const toDecember = 12 * 60 * minute;

/** An answer that is no stream, and what it has to come to; without `final` it is dropped. */
type Answer = {
  readonly name: string;
  readonly row: string;
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of an error of the API. */
  readonly body?: string;
  readonly html?: boolean;
  readonly final?: boolean;
  readonly retryAfterMs?: number;
};

const page = `<html><head><title>Error</title></head><body>${secret}</body></html>`;
const dated = new Date(startOfTime + 90_000).toUTCString();
const reached = "You have reached your specified API usage limits. You will regain access on";

export const answers: readonly Answer[] = [
  ...[1, 30, 3599].map((s) =>
    again("F1", 429, { headers: { "retry-after": `${s}` }, retryAfterMs: s * 1000 }),
  ),
  again("F1", 429, { headers: { "retry-after-ms": "2500", "retry-after": "60" }, retryAfterMs: 2500 }),
  again("F1", 429, { headers: { "retry-after": dated }, retryAfterMs: 90_000 }),
  again("F1", 503, { headers: { "retry-after": "20" }, retryAfterMs: 20_000 }),
  ...["0", "-1", "soon", "in 7", "1e30", "999999999999"].map((text) =>
    again("F1", 429, { headers: { "retry-after": text } }),
  ),
  limit("of the month", { code: "enforced_spend_limit_reached" }, toDecember),
  limit("of the contract", { code: "contract_spend_limit_reached" }, null),
  limit(
    "with a header",
    { code: "contract_spend_limit_reached", headers: { "retry-after": "7200" } },
    120 * minute,
  ),
  { ...limit("with a date", { message: `${reached} 2026-12-01 at 00:00 UTC.` }, toDecember), status: 400 },
  { ...limit("with a date that has passed", { message: `${reached} 2026-11-01.` }, null), status: 400 },
  stops("F2", 400, "invalid_request_error", "Your credit balance is too low to access the API."),
  stops("F2", 402, "billing_error"),
  ...[408, 409, 500, 502, 503, 504, 520, 529].map((status) => again("F3", status)),
  ...[500, 502, 503, 504].map((status) => ({
    ...again("F3", status),
    name: `${status}, a page`,
    body: page,
    html: true,
  })),
  again("F3", 529, { headers: { "x-should-retry": "false" } }),
  stops("F4", 401, "authentication_error"),
  stops("F4", 403, "permission_error"),
  stops("F4", 404, "not_found_error"),
  stops("F4", 401, "authentication_error", `invalid x-api-key ${secret}`),
  { ...stops("F4", 403, "permission_error"), name: "403, a page", body: page, html: true },
  ...[400, 405, 410, 422, 451].map((status) => stops("F4", status, "invalid_request_error")),
];

/** What the provider calls a conversation that is too long; a shorter one may be sent. */
export const tooLarge: readonly Answer[] = [
  stops("F5", 413, "request_too_large"),
  { ...stops("F5", 413, "request_too_large"), name: "413, a page of the edge", body: page, html: true },
  { ...stops("F5", 413, "request_too_large"), name: "413, empty", body: "" },
  stops("F5", 400, "invalid_request_error", "prompt is too long: 214123 tokens > 200000 maximum"),
  stops(
    "F5",
    400,
    "invalid_request_error",
    "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000",
  ),
];

/** A 200 that is no stream. */
const strangers: readonly (readonly [string, string, string])[] = [
  ["a page", "text/html", page],
  ["nothing", "text/event-stream", ""],
  ["JSON", "application/json", "{}"],
  ["an error of the API", "application/json", '{"type":"error","error":{"type":"overloaded_error"}}'],
  ["a page that claims to be a stream", "text/event-stream", page],
  ["comments only", "text/event-stream", ": hello\n\n: hello\n\n"],
  [
    "no names of events",
    "text/event-stream",
    encode(streams.talk)
      .toString()
      .replaceAll(/event: \w+\n/g, ""),
  ],
  ["an event that is no JSON", "text/event-stream", "event: message_start\ndata: {oops\n\n"],
  ["an event that is no object", "text/event-stream", "event: message_start\ndata: 7\n\n"],
  ["an error under another name", "text/event-stream", 'event: message\ndata: {"type":"error"}\n\n'],
];

/** Answers before a stream begins, at each of the requests of a session. */
export function* refusals(): Generator<Case> {
  for (const name of streamNames) {
    for (const answer of answers) {
      yield { name: `${name}: ${answer.name}`, row: answer.row, steps: around(name, [stepOf(answer)]) };
    }
    for (const [what, type, body] of strangers) {
      const step = lost({
        headers: { "content-type": type },
        bytes: Buffer.from(body),
        ends: { kind: "end" },
      });
      yield { name: `${name}: 200 with ${what}`, row: "F21", steps: around(name, [step]) };
    }
    for (const [what, headers] of [
      ["a redirect", { location: "http://127.0.0.1:9/" }],
      ["a redirect to nowhere", {}],
    ] as const) {
      const step = lost({ status: 307, headers, bytes: Buffer.alloc(0), ends: { kind: "end" } });
      if (what === "a redirect") yield { name: `${name}: ${what}`, row: "F21", steps: around(name, [step]) };
    }
  }
}

/** A conversation that is too long for the provider, once and again, at each request of a session. */
export function* overflows(): Generator<Case> {
  const session = [good.work, good.long, good.talk];
  for (const answer of tooLarge) {
    const step: Step = { ...stepOf(answer), meaning: { kind: "too-large" } };
    for (const [turn, next] of session.entries()) {
      for (const count of [1, 2]) {
        const steps = [...session.slice(0, turn), ...Array<Step>(count).fill(step), ...session.slice(turn)];
        yield { name: `turn ${turn + 1}: ${answer.name}, ${count} times`, row: "F5", steps };
      }
      const apart = [...session.slice(0, turn), step, next, step, ...session.slice(turn + 1)];
      if (turn < 2)
        yield { name: `turns ${turn + 1} and ${turn + 2}: ${answer.name}`, row: "F5", steps: apart };
    }
  }
}

/** Errors inside a stream, behind each of its events. */
export function* errorEvents(): Generator<Case> {
  const again = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", "new_error"];
  const never = [
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "billing_error",
  ];
  const kinds: readonly (readonly [string, Meaning])[] = [
    ...again.map((type) => [type, { kind: "dropped", retryAfterMs: null }] as const),
    ...never.map((type) => [type, { kind: "final", retryAfterMs: null }] as const),
  ];
  for (const name of streamNames) {
    const events = streams[name];
    for (let at = 0; at < events.length; at += 1) {
      for (const [type, meaning] of kinds) {
        const error = { type: "error", error: { type, message: secret } };
        const bytes = encode([...events.slice(0, at), error]);
        // A server that goes on after it has not unsaid it.
        for (const rest of [[], events.slice(at)]) {
          const step = {
            delivery: { bytes: Buffer.concat([bytes, encode(rest)]), ends: { kind: "end" } },
            meaning,
          } as const;
          const on = rest.length === 0 ? "" : ", and the stream goes on";
          yield { name: `${name}: ${type} behind ${at} events${on}`, row: "F7", steps: around(name, [step]) };
          if (type !== "overloaded_error") break;
        }
      }
    }
    for (let at = 1; at < events.length; at += 1) {
      const error = 'event: message_delta\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n';
      const bytes = [encode(events.slice(0, at)), Buffer.from(error), encode(events.slice(at))];
      const step = lost({ bytes: Buffer.concat(bytes), ends: { kind: "end" } });
      yield {
        name: `${name}: an error by another name behind ${at} events`,
        row: "F7",
        steps: around(name, [step]),
      };
    }
    const late = encode([...events, { type: "error", error: { type: "overloaded_error" } }]);
    const whole = told(events);
    const step = { ...whole, delivery: { ...whole.delivery, bytes: late } };
    const steps = name === "talk" ? [step] : [...around(name, [step]).slice(0, 1), told(streams.talk)];
    yield { name: `${name}: an error behind the end`, row: "F7", steps };
  }
}

export function stepOf(answer: Answer): Step {
  const { status, type, message = secret, code, headers = {}, html = false, final = false } = answer;
  const details = code === undefined ? {} : { details: { error_code: code } };
  const error = JSON.stringify({ type: "error", error: { type, message, ...details } });
  const body = Buffer.from(answer.body ?? error);
  const kind = html ? "text/html" : "application/json";
  return {
    delivery: { status, headers: { "content-type": kind, ...headers }, bytes: body, ends: { kind: "end" } },
    meaning: { kind: final ? "final" : "dropped", retryAfterMs: answer.retryAfterMs ?? null },
  };
}

function again(row: string, status: number, over: Partial<Answer> = {}): Answer {
  const type = status === 429 ? "rate_limit_error" : status === 529 ? "overloaded_error" : "api_error";
  const told = Object.entries(over.headers ?? {}).map(([name, value]) => `, ${name} ${value}`);
  return { name: `${status}${told.join("")}`, row, status, type, ...over };
}

function stops(row: string, status: number, type: string, message?: string): Answer {
  const name = message === undefined ? `${status} ${type}` : `${status} ${message.slice(0, 24)}`;
  return { name, row, status, type, final: true, ...(message === undefined ? {} : { message }) };
}

function limit(name: string, over: Partial<Answer>, retryAfterMs: number | null): Answer {
  const when = retryAfterMs === null ? {} : { retryAfterMs };
  return {
    name: `a spend limit ${name}`,
    row: "F2",
    status: 429,
    type: "rate_limit_error",
    final: true,
    ...when,
    ...over,
  };
}
