import type { Clock } from "../../base/clock.ts";

export type TransportOptions = {
  readonly clock: Clock;
  /** One try of one request, body included. */
  readonly requestMs: number;
  /** Told of every answer's headers; the only place where headers are read. */
  readonly onHeaders: (headers: Headers) => void;
};

const triesMax = 4;
const firstRetryMs = 500;
const bodyBytesMax = 32 * 1024 * 1024;

type Attempt =
  | { readonly kind: "answer"; readonly response: Response }
  | { readonly kind: "broken"; readonly why: string; readonly error: unknown };

/**
 * `fetch` with a deadline on head and body together. Reads are tried again on network trouble, 5xx, a truncated or a
 * foreign body; writes never are, because the first one may have happened.
 */
export function boundedFetch(options: TransportOptions): typeof fetch {
  return async (input, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    const isRead = (init.method ?? "GET").toUpperCase() === "GET";
    const tries = isRead ? triesMax : 1;
    // What is written here was never meant for another place, and `fetch` would ask there for something else.
    const request: RequestInit = isRead ? init : { ...init, redirect: "manual" };
    for (let number = 1; ; number++) {
      const tried = await tryOnce(input, request, signal, options);
      const attempt = isRead ? tried : stayed(tried);
      if (!worthAnother(attempt) || number >= tries || signal.aborted) return outcome(attempt);
      await options.clock.sleep(firstRetryMs * 2 ** (number - 1), { signal });
    }
  };
}

async function tryOnce(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<Attempt> {
  // Not AbortSignal.timeout: it would keep no handle on the timer, which then outlives a quick answer.
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new Error(`GitHub did not answer within ${options.requestMs / 1000} s`)),
    options.requestMs,
  );
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.any([signal, deadline.signal]) });
    options.onHeaders(response.headers);
    const bytes = await readBounded(response, bodyBytesMax);
    return judged(response, bytes);
  } catch (error) {
    return { kind: "broken", why: "no whole answer", error };
  } finally {
    clearTimeout(timer);
  }
}

/** A proxy's or a "unicorn" page with status 200 is a failed request, and so is JSON that ends in the middle. */
function judged(response: Response, bytes: Uint8Array<ArrayBuffer>): Attempt {
  const { status, statusText, headers } = response;
  const empty = status === 204 || status === 205 || status === 304;
  const answer = new Response(empty ? null : bytes, { status, statusText, headers });
  if (empty || status < 200 || status > 299) return { kind: "answer", response: answer };
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value !== "object" || value === null) throw new TypeError("neither an object nor a list");
    return { kind: "answer", response: answer };
  } catch (cause) {
    const error = new Error(`GitHub answered ${status} with a body that is not JSON`, { cause });
    return { kind: "broken", why: error.message, error };
  }
}

/** A write that GitHub sends elsewhere is about an issue that was transferred: as it answers where nothing is left. */
function stayed(attempt: Attempt): Attempt {
  if (attempt.kind === "broken" || attempt.response.status < 300 || attempt.response.status > 399)
    return attempt;
  const message = "It was moved to another place, and nothing was done there";
  return { kind: "answer", response: Response.json({ message }, { status: 410 }) };
}

function worthAnother(attempt: Attempt): boolean {
  return attempt.kind === "broken" || attempt.response.status >= 500;
}

function outcome(attempt: Attempt): Response {
  if (attempt.kind === "broken") throw attempt.error;
  return attempt.response;
}

/** The whole body, or a throw once it is larger than `bytesMax`. */
export async function readBounded(response: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
