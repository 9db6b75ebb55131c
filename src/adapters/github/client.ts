import { Octokit } from "@octokit/rest";
import type { Clock } from "../../base/clock.ts";
import { objectIn } from "../../base/json.ts";
import { countIn, withinLimits } from "./limits.ts";
import { boundedFetch } from "./transport.ts";

/** What GitHub did not do. Built from the status and GitHub's own sentence only: no header, no request, no token (R15). */
export type No = {
  readonly kind: "no";
  /** Null when no whole answer came: the request may or may not have happened. */
  readonly status: number | null;
  readonly why: string;
};

export type Answer<T> =
  | {
      readonly kind: "ok";
      readonly data: T;
      readonly more: boolean;
      /** Names exactly this answer: asked with it again, GitHub says 304 while it would be the same. */
      readonly etag: string | null;
    }
  | No;

type RequestOptions = { readonly signal: AbortSignal };
type Response<T> = {
  readonly data: T;
  readonly headers: { readonly link?: string | undefined; readonly etag?: string | undefined };
};

export type GitHubClient = {
  /** `https://api.github.com` or what stands in for it, without a slash at the end. */
  readonly baseUrl: string;
  readonly rest: Octokit["rest"];
  /** Runs one request of `rest`; hands it the options it must pass on as `request`. Never throws for what GitHub did. */
  readonly ask: <T>(
    request: (request: RequestOptions) => Promise<Response<T>>,
    options: RequestOptions,
  ) => Promise<Answer<T>>;
  /**
   * The same for one GraphQL document. Its errors come with status 200; `status` then is what REST would have answered.
   * The address is made from `baseUrl`, as Octokit does it: `…/api/v3` becomes `…/api/graphql`.
   */
  readonly graphql: (
    document: string,
    variables: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ) => Promise<Answer<unknown>>;
  /** The share of the hour's requests that is left, 0 to 1, as the last answer said; 1 before the first. */
  readonly left: () => number;
};

export type ClientOptions = {
  readonly baseUrl: string;
  readonly token: string;
  readonly version: string;
  readonly clock: Clock;
  /** Ends every wait of every request; a request's own signal ends that one. */
  readonly signal: AbortSignal;
  readonly requestMs?: number;
};

const whyCharactersMax = 500;
/** How long one request may wait for limits, all its waits together; where GitHub asks for more, it is refused. */
const limitWaitMsMax = 300_000;

/**
 * One client for one token. It keeps GitHub's limits within bounds, and a write that a limit refused goes again
 * (`withinLimits`). All other repetition is `boundedFetch`'s, for reads only.
 */
export function githubClient(options: ClientOptions): GitHubClient {
  const { token, version, clock, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  let left = 1;
  const onHeaders = (headers: Headers) => {
    // GraphQL has an allowance of its own.
    if ((headers.get("x-ratelimit-resource") ?? "core") !== "core") return;
    const remaining = countIn(headers, "x-ratelimit-remaining");
    const limit = countIn(headers, "x-ratelimit-limit") ?? 0;
    if (remaining !== null) left = remaining / Math.max(limit, remaining, 1);
  };
  const octokit = new Octokit({
    auth: token,
    baseUrl,
    userAgent: `baton/${version}`,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    request: {
      fetch: withinLimits(boundedFetch({ clock, requestMs: options.requestMs ?? 30_000, onHeaders }), {
        clock,
        waitMsMax: limitWaitMsMax,
      }),
    },
  });
  const ask: GitHubClient["ask"] = (request, { signal: own }) =>
    answerOf(request, { signal: AbortSignal.any([signal, own]) }, (text) => text.replaceAll(token, "***"));
  return {
    baseUrl,
    rest: octokit.rest,
    left: () => left,
    ask,
    graphql: (document, variables, given) =>
      ask<unknown>(
        async (request) => ({
          data: await octokit.graphql<unknown>(document, { ...variables, request }),
          headers: {},
        }),
        given,
      ),
  };
}

const againTriesMax = 4;
const againWaitMs = 500;

/** Asks again where no answer came, for what repeats no effect: objects without a name, and a text in place of itself. */
export async function untilAnswered<T>(
  { clock, signal }: Pick<ClientOptions, "clock" | "signal">,
  ask: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  for (let number = 1; ; number++) {
    const made = await ask();
    const lost = made.kind === "no" && (made.status === null || made.status >= 500);
    if (!lost || number >= againTriesMax || signal.aborted) return made;
    await clock.sleep(againWaitMs * 2 ** (number - 1), { signal });
  }
}

/** GitHub may know what it made everywhere only after a while; how long is not documented, ten seconds have been seen. */
const unseenWaitsMs = [1000, 2000, 4000, 8000];

/**
 * Asks again while GitHub says that it does not know what we have made just before. Only for that: what others made or
 * took away is as it says. A refusal made nothing, so asking again cannot make two.
 */
export async function untilSeen<T>(
  { clock, signal }: Pick<ClientOptions, "clock" | "signal">,
  unseen: RegExp,
  ask: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  for (const ms of unseenWaitsMs) {
    const made = await ask();
    const lags = made.kind === "no" && made.status !== null && made.status < 500 && unseen.test(made.why);
    if (!lags || signal.aborted) return made;
    await clock.sleep(ms, { signal });
  }
  return ask();
}

async function answerOf<T>(
  request: (request: RequestOptions) => Promise<Response<T>>,
  options: RequestOptions,
  mask: (text: string) => string,
): Promise<Answer<T>> {
  if (options.signal.aborted) return { kind: "no", status: null, why: "cancelled" };
  // Whoever waits for another's turn does not look at the signal, so the request is raced with it.
  const { promise: cancelled, resolve } = Promise.withResolvers<No>();
  const cancel = () => resolve({ kind: "no", status: null, why: "cancelled" });
  options.signal.addEventListener("abort", cancel, { once: true });
  try {
    const asked = request(options).then(
      ({ data, headers: { link = "", etag = null } }): Answer<T> => {
        return { kind: "ok", data, more: /rel="?next/.test(link), etag };
      },
      (error: unknown) => noOf(error, mask),
    );
    return await Promise.race([asked, cancelled]);
  } finally {
    options.signal.removeEventListener("abort", cancel);
  }
}

/** Everything that Octokit's error carries besides these fields (requests, headers) is dropped here. */
function noOf(error: unknown, mask: (text: string) => string): No {
  const response = field(error, "response");
  const refused = graphqlErrors(error);
  const status = refused === null ? field(response, "status") : statusOf(refused);
  const data = refused === null ? field(response, "data") : { errors: refused };
  if (typeof status !== "number") {
    const message = error instanceof Error ? error.message : "no answer";
    return { kind: "no", status: null, why: mask(message).slice(0, whyCharactersMax) };
  }
  const why = sentenceOf(data) || `status ${status}`;
  return { kind: "no", status, why: mask(why + limitReset(response, status)).slice(0, whyCharactersMax) };
}

/** Null for every other error. */
function graphqlErrors(error: unknown): readonly unknown[] | null {
  const errors = field(error, "errors");
  return field(error, "name") === "GraphqlResponseError" && Array.isArray(errors) ? errors : null;
}

const statusByType: ReadonlyMap<unknown, number> = new Map([
  ["FORBIDDEN", 403],
  ["INSUFFICIENT_SCOPES", 403],
  ["NOT_FOUND", 404],
  ["RATE_LIMITED", 429],
  ["SERVICE_UNAVAILABLE", 503],
]);

/** An error without a type is either our document's fault or GitHub's "Something went wrong", which may have happened. */
function statusOf(errors: readonly unknown[]): number {
  const [first] = errors;
  const known = statusByType.get(field(first, "type"));
  if (known !== undefined) return known;
  const broke = /something went wrong|timed? ?out/i.test(detailOf(first));
  return broke ? 502 : 422;
}

function sentenceOf(data: unknown): string {
  const message = field(data, "message");
  const errors = field(data, "errors");
  const details = Array.isArray(errors) ? errors.map(detailOf).filter((text) => text !== "") : [];
  return [typeof message === "string" ? message : "", ...details].filter((text) => text !== "").join("; ");
}

function detailOf(error: unknown): string {
  if (typeof error === "string") return error;
  const message = field(error, "message");
  if (typeof message === "string") return message;
  const words = [field(error, "resource"), field(error, "field"), field(error, "code")];
  return words.filter((word) => typeof word === "string").join(" ");
}

/** When the hour's limit is used up, its end is the one thing the reader needs. */
function limitReset(response: unknown, status: number): string {
  const headers = field(response, "headers");
  const reset = Number(field(headers, "x-ratelimit-reset"));
  const usedUp = (status === 403 || status === 429) && field(headers, "x-ratelimit-remaining") === "0";
  if (!usedUp || !Number.isSafeInteger(reset) || reset <= 0 || reset > 1e11) return "";
  return ` (requests are possible again at ${new Date(reset * 1000).toISOString()})`;
}

function field(value: unknown, name: string): unknown {
  return objectIn(value)[name];
}

function nothing(): void {}
