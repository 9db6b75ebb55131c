import { BrokenStream } from "./block.ts";

/** More than any reply has; a stream that is longer is not one. */
const replyBytesMax = 64 * 1024 * 1024;

const ownHeaders =
  /^(accept|authorization|content-type|user-agent|anthropic-version|anthropic-beta|x-api-key|x-stainless-[\w-]+)$/;

/**
 * `fetch` for one request of the SDK: tells of each chunk, takes no endless answer and none that
 * is no text, follows no redirect, which could carry the key elsewhere, and sends no header that the environment put in (the SDK reads ANTHROPIC_CUSTOM_HEADERS).
 */
export function guardedFetch({ onBytes }: { readonly onBytes: () => void }): typeof fetch {
  return async (input, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => ownHeaders.test(name));
    const response = await fetch(input, { ...init, headers, redirect: "error" });
    onBytes();
    if (response.body === null) return response;
    let left = replyBytesMax;
    // Replacement characters would go unseen, and a signature over other bytes is no longer good. The page of an
    // error may be in any encoding.
    const isText = response.ok ? textCheck() : () => true;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        onBytes();
        left -= chunk.byteLength;
        if (left < 0) throw new BrokenStream(`it is larger than ${replyBytesMax} bytes`);
        if (!isText(chunk)) throw new BrokenStream("it is not UTF-8");
        controller.enqueue(chunk);
      },
    });
    const { status, statusText } = response;
    return new Response(response.body.pipeThrough(counted), {
      status,
      statusText,
      headers: response.headers,
    });
  };
}

/** Whether the chunks so far are text. */
function textCheck(): (chunk: Uint8Array) => boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (chunk) => {
    try {
      decoder.decode(chunk, { stream: true });
      return true;
    } catch {
      return false;
    }
  };
}
