/** More than any reply has; a stream that is longer is not one. */
const replyBytesMax = 64 * 1024 * 1024;

const ownHeaders =
  /^(accept|authorization|content-type|user-agent|anthropic-version|anthropic-beta|x-api-key|x-stainless-[\w-]+)$/;

/**
 * `fetch` for one request of the SDK: tells of each chunk, follows no redirect, which could carry the key elsewhere,
 * and sends no header that the environment put in (the SDK reads ANTHROPIC_CUSTOM_HEADERS).
 */
export function guardedFetch({ onBytes }: { readonly onBytes: () => void }): typeof fetch {
  return async (input, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => ownHeaders.test(name));
    const response = await fetch(input, { ...init, headers, redirect: "error" });
    onBytes();
    if (response.body === null) return response;
    let left = replyBytesMax;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        onBytes();
        left -= chunk.byteLength;
        if (left < 0) controller.error(new Error(`the answer is larger than ${replyBytesMax} bytes`));
        else controller.enqueue(chunk);
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
