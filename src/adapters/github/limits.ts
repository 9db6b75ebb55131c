import type { Clock } from "../../base/clock.ts";
import { paceOf } from "./pace.ts";

const retriesMax = 3;
/** What GitHub asks for where it does not say how long: a minute, then longer each time. */
const unsaidMs = 60_000;
/** Its clock and ours need not agree to the second. */
const afterResetMs = 1000;

type Limit = { readonly kind: "primary" | "secondary"; readonly ms: number };

/**
 * `fetch` that keeps GitHub's limits (docs.github.com, "Best practices for using the REST API"): one write at a time
 * and not too many in a minute; after an answer that a limit refused nothing is sent for as long as it says, or for a
 * minute and then longer where it does not say. What a limit refused did not happen, so writes go again, too. Where the
 * waits of one request would come to more than `waitMsMax`, the refusal is the answer.
 */
export function withinLimits(
  send: typeof fetch,
  { clock, waitMsMax }: { readonly clock: Clock; readonly waitMsMax: number },
): typeof fetch {
  const writes = paceOf({ burst: 20, everyMs: 1000, clock });
  const notifying = paceOf({ burst: 6, everyMs: 3000, clock });
  const inTurn = oneByOne();
  let restUntilMs = 0;

  const mayGo = async (input: Input, init: RequestInit, signal: AbortSignal): Promise<void> => {
    const restMs = restUntilMs - clock.elapsed();
    if (restMs > 0) await clock.sleep(restMs, { signal });
    if (isWrite(init)) await writes.turn(signal);
    if (notifies(input, init)) await notifying.turn(signal);
  };

  return async (input, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    let leftMs = waitMsMax;
    let number = 0;
    /** Notes how long to rest before whoever comes next sends anything. */
    const sendOnce = async (): Promise<Sent> => {
      await mayGo(input, init, signal);
      const response = await send(input, init);
      const limit = await limitOf(response, { url: urlOf(input), number, clock });
      if (limit?.kind === "secondary") writes.slowDown();
      if (limit === null || limit.ms > leftMs) return { response, waitMs: null };
      restUntilMs = Math.max(restUntilMs, clock.elapsed() + limit.ms);
      return { response, waitMs: limit.ms };
    };
    for (; ; number++) {
      const { response, waitMs } = await (isWrite(init) ? inTurn(sendOnce) : sendOnce());
      if (waitMs === null || number >= retriesMax || signal.aborted) return response;
      leftMs -= waitMs;
      await clock.sleep(waitMs, { signal });
    }
  };
}

type Input = Parameters<typeof fetch>[0];

type Sent = {
  readonly response: Response;
  /** Null where it is the answer. */
  readonly waitMs: number | null;
};

/** Runs what it is given one after the other. */
function oneByOne(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const own = last.then(act);
    last = own.catch(() => undefined);
    return own;
  };
}

function isWrite({ method = "GET" }: RequestInit): boolean {
  return !["GET", "HEAD"].includes(method.toUpperCase());
}

/** Whether somebody gets a mail of it. */
function notifies(input: Input, { method }: RequestInit): boolean {
  return method?.toUpperCase() === "POST" && /\/issues\/\d+\/comments$|\/pulls$/.test(urlOf(input));
}

function urlOf(input: Input): string {
  return input instanceof Request ? input.url : String(input);
}

/** Null for an answer that no limit refused. */
async function limitOf(
  response: Response,
  { url, number, clock }: { readonly url: string; readonly number: number; readonly clock: Clock },
): Promise<Limit | null> {
  const { status, headers } = response;
  // GraphQL tells of its limits with status 200.
  const isGraphql = status === 200 && url.endsWith("/graphql");
  if (status !== 403 && status !== 429 && !isGraphql) return null;
  const text = await response.clone().text();
  const isSecondary = /\bsecondary rate\b|abuse detection/i.test(text);
  const isRefused = !isGraphql || isSecondary || /"type":\s*"RATE_LIMITED"/.test(text);
  if (!isRefused) return null;
  const afterSeconds = countIn(headers, "retry-after");
  if (afterSeconds !== null) return { kind: "secondary", ms: afterSeconds * 1000 };
  const reset = countIn(headers, "x-ratelimit-reset");
  if (!isSecondary && headers.get("x-ratelimit-remaining") === "0" && reset !== null)
    return { kind: "primary", ms: Math.max(0, reset * 1000 - clock.now()) + afterResetMs };
  if (isSecondary || status === 429 || isGraphql) return { kind: "secondary", ms: unsaidMs * 2 ** number };
  return null;
}

export function countIn(headers: Headers, name: string): number | null {
  const value = headers.get(name);
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : null;
}
