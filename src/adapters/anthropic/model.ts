import type { Clock } from "../../base/clock.ts";
import type { OnLive } from "../../loop/live.ts";
import type { Model, ModelRequest, Reply } from "../../loop/model.ts";
import type { Usage } from "../../session/event.ts";
import { type Assembly, assembly, type SoFar } from "./assemble.ts";
import { parseBaseUrl } from "./base-url.ts";
import { type Body, bodyOf } from "./body.ts";
import { cancelled, failureOf, tooSlow } from "./failure.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { defaultPatience, type Patience, type Watch, watchSilence } from "./silence.ts";

export type AnthropicOptions = {
  readonly apiKey: string;
  /** Null is Anthropic itself. https, unless on this machine. */
  readonly baseUrl: string | null;
  readonly clock: Clock;
  readonly patience?: Patience;
};

/**
 * The Messages API, streamed. Neither retries nor environment variables of the SDK are used. Throws at once when the
 * base URL is refused. The SDK is loaded in the background from here on, so make it only where a request will follow.
 */
export function anthropicModel({
  apiKey,
  baseUrl,
  clock,
  patience = defaultPatience,
}: AnthropicOptions): Model {
  const base = parseBaseUrl(baseUrl);
  if (base.kind === "refused") throw new Error(`no model: ${base.why}`);
  const sdk = import("@anthropic-ai/sdk/client");
  // Reported by the request that needs it.
  sdk.catch(() => undefined);

  const open = async (body: Body, watch: Watch, signal: AbortSignal) => {
    const { Anthropic } = await sdk;
    const client = new Anthropic({
      apiKey,
      baseURL: base.url,
      maxRetries: 0,
      logLevel: "off",
      openTelemetry: false,
      fetch: guardedFetch({ onBytes: watch.byte }),
    });
    // The body is built from blocks that came from this API; its own types would have them taken apart again.
    const params = body as unknown as Parameters<typeof client.messages.create>[0] & { stream: true };
    return client.messages.create(params, { signal }).withResponse();
  };

  return {
    reply: async (request, { signal, onLive }) => {
      // A client that cannot be loaded is a fault of ours, not of the provider.
      await sdk;
      if (signal.aborted) return cancelled();
      const given = new AbortController();
      const watch = watchSilence(clock, patience, () => given.abort());
      const coming = assembly();
      try {
        const opened = await open(bodyOf(request), watch, AbortSignal.any([signal, given.signal]));
        const hangUp = () => given.abort();
        await readInto(coming, opened.data, { watch, onLive, clock, hangUp });
        return replyOf(coming, request, opened.request_id ?? null);
      } catch (error) {
        // What was given up in the middle would hold its connection.
        given.abort();
        const began = coming.soFar();
        const worked = began === null ? {} : { usage: usageOf(began, request) };
        if (signal.aborted) return { ...cancelled(), ...worked };
        const why = watch.why();
        const failure = why === null ? failureOf(error, { nowMs: clock.now() }) : tooSlow(why);
        return { ...failure, ...worked };
      } finally {
        watch.stop();
      }
    },
  };
}

type Reading = {
  readonly watch: Watch;
  readonly onLive: OnLive;
  readonly clock: Clock;
  readonly hangUp: () => void;
};

/** Until the reply is complete, or the stream ends. */
async function readInto(
  reply: Assembly,
  stream: AsyncIterable<unknown>,
  { watch, onLive, clock, hangUp }: Reading,
): Promise<void> {
  const events = stream[Symbol.asyncIterator]();
  while (!reply.complete()) {
    const { done, value } = await events.next();
    if (done === true) break;
    const { live, progress } = reply.take(value);
    if (progress) watch.progress();
    if (live !== null) onLive(live);
  }
  void drain(events, clock, hangUp);
}

const drainMs = 1_000;

/** Lets an answer that is complete end by itself, so that its connection can be used again; not for long. */
async function drain(events: AsyncIterator<unknown>, clock: Clock, hangUp: () => void): Promise<void> {
  const ended = new AbortController();
  const end = events.next().then(
    () => ended.abort(),
    () => ended.abort(),
  );
  await Promise.race([end, clock.sleep(drainMs, { signal: ended.signal })]);
  hangUp();
}

function replyOf(reply: Assembly, request: ModelRequest, requestId: string | null): Reply {
  const { content, stopReason, usage, brokenCalls } = reply.result();
  return {
    kind: "reply",
    content,
    stopReason,
    usage: usageOf({ usage, chars: JSON.stringify(content).length }, request),
    requestId: requestId !== null && /^[\w-]{1,64}$/.test(requestId) ? requestId : null,
    brokenCalls,
  };
}

/** Counts that are missing are taken as high as they can well be: a budget must not be passed for want of a number. */
function usageOf({ usage, chars }: SoFar, request: ModelRequest): Usage {
  const sent = JSON.stringify([request.system, request.tools, request.messages]).length;
  return {
    input: usage.input ?? Math.ceil(sent / 2),
    output: usage.output ?? Math.ceil(chars / 2),
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
  };
}
