import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Fault, Hold, HttpReply, MessageReply, Reply } from "./script.ts";
import { encodeEvent, eventsOf, jsonOf, type SentMessage, type StreamEvent } from "./stream.ts";

export interface Sender {
  readonly requestId: string;
  /** Whether the request asked for a stream. */
  readonly stream: boolean;
  /** Fills in what the script leaves to the server. */
  complete(reply: MessageReply): SentMessage;
}

/** Sends one reply. Resolves when it is sent, broken off, or the client has gone. */
export async function answer(res: ServerResponse, reply: Reply, sender: Sender): Promise<void> {
  if (reply.hold && reply.hold.at === undefined && !(await waitFor(reply.hold, res))) return;
  switch (reply.kind) {
    case "http":
      return sendHttp(res, reply, sender.requestId);
    case "events":
      return sendEvents(res, reply.events, reply, sender.requestId);
    case "message": {
      const message = sender.complete(reply);
      if (!sender.stream) return sendWhole(res, message, sender.requestId);
      return sendEvents(res, [...eventsOf(message, reply.deltaChars)], reply, sender.requestId);
    }
  }
}

function sendHttp(res: ServerResponse, reply: HttpReply, requestId: string): void {
  const error = { type: reply.type ?? "api_error", message: reply.message ?? "Internal server error" };
  const body = reply.body ?? JSON.stringify({ type: "error", error, request_id: requestId });
  const headers = { "content-type": "application/json", "request-id": requestId, ...reply.headers };
  res.writeHead(reply.status, headers).end(body);
}

function sendWhole(res: ServerResponse, message: SentMessage, requestId: string): void {
  const content = message.content.map((block) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(jsonOf(block)), json: undefined } : block,
  );
  res.writeHead(200, { "content-type": "application/json", "request-id": requestId });
  res.end(JSON.stringify({ ...message, content }));
}

async function sendEvents(
  res: ServerResponse,
  events: readonly StreamEvent[],
  { fault, hold, writeBytes }: { fault?: Fault; hold?: Hold; writeBytes?: number },
  requestId: string,
): Promise<void> {
  for (const at of [fault?.at, hold?.at]) {
    if (at !== undefined && at > events.length) {
      throw new Error(`the script asks for something after event ${at} of a reply that has ${events.length}`);
    }
  }
  res.socket?.setNoDelay(true);
  res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": requestId });
  res.flushHeaders();
  for (let i = 0; i <= events.length; i++) {
    if (hold?.at === i && !(await waitFor(hold, res))) return;
    if (fault?.at === i) return breakOff(res, fault);
    const event = events[i];
    if (event) await write(res, encodeEvent(event), writeBytes);
    if (res.destroyed) return;
  }
  res.end();
}

async function breakOff(res: ServerResponse, fault: Fault): Promise<void> {
  switch (fault.kind) {
    case "error": {
      const { type = "overloaded_error", message = "Overloaded" } = fault;
      res.end(encodeEvent({ type: "error", error: { type, message } }));
      return;
    }
    case "eof":
      res.end();
      return;
    case "reset":
      // What was written must be on the wire first: a reset throws away what is still queued here.
      await nextTurn();
      res.socket?.resetAndDestroy();
      return;
    case "stall":
      await gone(res);
  }
}

async function write(res: ServerResponse, text: string, writeBytes: number | undefined): Promise<void> {
  const bytes = Buffer.from(text);
  const size = writeBytes ?? bytes.length;
  for (let from = 0; from < bytes.length; from += size) {
    const taken = res.write(bytes.subarray(from, from + size));
    if (!taken && !res.destroyed) await Promise.race([once(res, "drain"), gone(res)]);
    // Without a turn of the loop between them, small writes leave as one.
    if (writeBytes !== undefined) await nextTurn();
    if (res.destroyed) return;
  }
}

/** False when the client went away while waiting. */
async function waitFor(hold: Hold, res: ServerResponse): Promise<boolean> {
  hold.onReached?.();
  return Promise.race([hold.until.then(() => true), gone(res).then(() => false)]);
}

async function gone(res: ServerResponse): Promise<void> {
  if (!res.destroyed && !res.closed) await once(res, "close");
}
