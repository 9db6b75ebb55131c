import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { continuesPaused } from "../model/paused.ts";
import { extendsPrompt } from "../model/prefix.ts";
import { refuseBody, refuseHeaders } from "../model/rules.ts";
import type { WireMessage, WireRequest } from "../model/wire.ts";
import type { VirtualClock } from "./clock.ts";
import { changedHistory, type Whole, withoutBlank } from "./history.ts";

/** An answer, byte by byte, and how it ends. */
export type Delivery = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Where one write ends and the next begins. */
  readonly splits?: readonly number[];
  /** Not even headers are sent; `ends` comes at once. */
  readonly silent?: boolean;
  /**
   * `end`: as a server ends. `reset`: a TCP reset, once the client has read what was sent. `hang-up`: the connection
   * is closed before the answer ends. `stall`: nothing more. `drip`: these bytes again and again.
   */
  readonly ends:
    | { readonly kind: "end" | "reset" | "hang-up" | "stall" }
    | { readonly kind: "drip"; readonly bytes: Buffer; readonly everyMs: number };
};

/** What an answer says to a client that reads it rightly: nothing, or a reply to be sent back. */
export type Planned = {
  readonly delivery: Delivery;
  readonly whole: Whole | null;
};

export type FaultServer = AsyncDisposable & {
  readonly url: string;
  /**
   * Begins a session: what it is answered, one plan a request. A request without tools asks for a summary, and has
   * plans of its own. `before` is what another run of the session has received.
   */
  readonly begin: (
    plans: readonly Planned[],
    options: {
      readonly summaries: readonly Planned[];
      readonly clock: VirtualClock;
      readonly before?: readonly Whole[];
    },
  ) => Session;
};

/** What the server saw of one session. */
export type Session = {
  readonly requests: WireRequest[];
  /** Those for a summary. */
  readonly summaries: WireRequest[];
  /** Requests that the API would have refused, and requests that changed what was sent before: why. */
  readonly invalid: string[];
  /** Replies that were sent to their end, in order. */
  readonly whole: Whole[];
  /** True when the answer under way goes on only with time, and the client has read all of it. */
  readonly waits: () => boolean;
  /** How many pieces were written; changes whenever something happens. */
  readonly written: () => number;
  /** Answers whose connection the client holds, though they are not at their end. */
  readonly held: () => number;
};

type Open = Session & {
  readonly plans: readonly Planned[];
  readonly summaryPlans: readonly Planned[];
  readonly clock: VirtualClock;
  /** Summaries asked for before the last request that asked for none. */
  shortened: number;
  asleep: boolean;
  answers: number;
  pieces: number;
  /** How often the clock had been asked when the last piece was written. */
  askedAtPiece: number;
};

/** A strict Messages API on a loopback port, for many sessions one after another. */
export async function startFaultServer(): Promise<FaultServer> {
  let open: Open | null = null;
  const server = createServer((req, res) => {
    req.on("error", () => {});
    res.on("error", () => {});
    void serve(req, res, open);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: (plans, { summaries, clock, before = [] }) => {
      const session: Open = {
        requests: [],
        summaries: [],
        invalid: [],
        whole: [...before],
        plans,
        summaryPlans: summaries,
        clock,
        shortened: 0,
        asleep: false,
        answers: 0,
        pieces: 0,
        askedAtPiece: -1,
        waits: () => session.asleep && clock.asked() > session.askedAtPiece,
        written: () => session.pieces,
        held: () => session.answers,
      };
      open = session;
      return session;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(req: IncomingMessage, res: ServerResponse, session: Open | null): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  if (session === null) return void res.destroy();
  // The rules judge the shape.
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as WireRequest;
  const forSummary = body.tools === undefined;
  const [asked, plans] = forSummary
    ? [session.summaries, session.summaryPlans]
    : [session.requests, session.plans];
  const plan = plans[asked.length];
  const flaw = flawOf(req, body, session);
  asked.push(body);
  if (flaw !== null || plan === undefined) {
    if (flaw !== null) session.invalid.push(flaw);
    const message = flaw ?? "nothing more was planned";
    const error = { type: "error", error: { type: "invalid_request_error", message } };
    return void res.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
  }
  if (plan.whole !== null && !forSummary) {
    session.whole.push(plan.whole);
  }
  session.answers += 1;
  res.once("close", () => {
    session.answers -= 1;
  });
  await play(res, plan.delivery, session);
}

function flawOf(req: IncomingMessage, body: WireRequest, session: Open): string | null {
  const paused = session.whole.flatMap((one) => (one.paused ? [withoutBlank(one.content)] : []));
  const continues = (message: WireMessage) => continuesPaused(message, paused);
  const refused = refuseHeaders(req.headers, undefined) ?? refuseBody(body, { continues });
  if (refused !== undefined) return refused.message;
  if (body.tools === undefined) return null;
  const before = session.requests.at(-1);
  // A conversation begins anew when a summary takes the place of its older part.
  const shortened = session.summaries.length > session.shortened;
  session.shortened = session.summaries.length;
  if (before !== undefined && !shortened && !extendsPrompt(before, body))
    return "it does not extend the one before";
  return changedHistory(body, session.whole);
}

async function play(res: ServerResponse, delivery: Delivery, session: Open): Promise<void> {
  const { status = 200, headers, bytes, splits = [], silent = false, ends } = delivery;
  if (!silent) {
    res.socket?.setNoDelay(true);
    const type = { "content-type": "text/event-stream; charset=utf-8" };
    res.writeHead(status, { "request-id": "req_01", ...type, ...headers });
    if (ends.kind !== "end" || bytes.length === 0) res.flushHeaders();
    const stops = [...splits, bytes.length];
    for (const [i, stop] of stops.entries()) {
      // Without a turn of the loop between them, small writes leave as one.
      if (i > 0) await nextTurn();
      await send(res, bytes.subarray(stops[i - 1] ?? 0, stop), session);
      if (res.destroyed) return;
    }
  }
  await finish(res, ends, session, silent);
}

async function send(res: ServerResponse, bytes: Buffer, session: Open): Promise<void> {
  session.askedAtPiece = session.clock.asked();
  session.pieces += 1;
  if (bytes.length === 0) return;
  const taken = res.write(bytes);
  if (!taken && !res.destroyed) await Promise.race([once(res, "drain"), once(res, "close")]);
}

async function finish(
  res: ServerResponse,
  ends: Delivery["ends"],
  session: Open,
  silent: boolean,
): Promise<void> {
  switch (ends.kind) {
    case "end":
      res.end();
      return;
    case "reset":
      if (!silent) await untilRead(session, res);
      res.socket?.resetAndDestroy();
      return;
    case "hang-up":
      if (!silent) await untilRead(session, res);
      res.socket?.destroy();
      return;
    case "stall":
      if (silent) session.askedAtPiece = session.clock.asked() - 1;
      return asleep(session, () => gone(res));
    case "drip":
      while (!res.destroyed) {
        await asleep(session, () => sleepOrGone(res, session.clock, ends.everyMs));
        if (!res.destroyed) await send(res, ends.bytes, session);
      }
  }
}

/** What is still under way when a connection is reset is lost. */
async function untilRead(session: Open, res: ServerResponse): Promise<void> {
  for (let turn = 0; turn < 200 && !res.destroyed; turn += 1) {
    if (session.clock.asked() > session.askedAtPiece) return;
    await nextTurn();
  }
}

async function asleep(session: Open, wait: () => Promise<void>): Promise<void> {
  session.asleep = true;
  await wait();
  session.asleep = false;
}

async function gone(res: ServerResponse): Promise<void> {
  if (!res.destroyed && !res.closed) await once(res, "close");
}

async function sleepOrGone(res: ServerResponse, clock: VirtualClock, ms: number): Promise<void> {
  const abort = new AbortController();
  const closed = () => abort.abort();
  res.once("close", closed);
  await clock.sleep(ms, { signal: abort.signal });
  res.off("close", closed);
}
