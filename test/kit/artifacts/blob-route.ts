// Blobs under the one origin, so that every byte of an artifact passes where exchanges are recorded and faults strike.
import type { IncomingMessage } from "node:http";
import { type Answer, answer } from "../github/answer.ts";

export type BlobRequest = {
  readonly method: string;
  readonly url: URL;
  readonly message: IncomingMessage;
  readonly body: Buffer;
};

/** Asks the blob server for what the client asked us for; the signature in the query does not cover the host. */
export async function answerBlob(blobOrigin: string, request: BlobRequest): Promise<Answer> {
  const { method, url, message, body } = request;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (typeof value === "string" && !hopHeaders.has(name)) headers[name] = value;
  }
  const response = await fetch(`${blobOrigin}${url.pathname}${url.search}`, {
    method,
    headers,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
  const kept = [...response.headers].filter(([name]) => !hopHeaders.has(name) && name !== "content-encoding");
  return answer(response.status, Buffer.from(await response.arrayBuffer()), Object.fromEntries(kept));
}

const hopHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
]);
