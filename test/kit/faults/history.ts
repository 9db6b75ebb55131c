import { blocksOf, type WireMessage, type WireRequest } from "../model/wire.ts";

/** A block as it was sent. A call whose arguments were no JSON object has the input null. */
export type SentBlock = { readonly type: string; readonly [key: string]: unknown };

/** Content without what a client may add to it. */
export function essenceOf(content: WireMessage["content"] | readonly SentBlock[]): string {
  const blocks = typeof content === "string" ? blocksOf(content) : content;
  return JSON.stringify(blocks, (key, value: unknown) =>
    value === null || key === "cache_control" ? undefined : value,
  );
}

/**
 * Why the model's own messages in a request are not replies that were sent whole, byte for byte and in order; null
 * when they are. Left out may be only what the API takes from nobody: blank text, and thinking that nothing follows.
 */
export function changedHistory(
  { messages }: WireRequest,
  whole: readonly (readonly SentBlock[])[],
): string | null {
  let next = 0;
  for (const [i, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const found = whole.findIndex((content, k) => k >= next && isSame(message, content));
    if (found === -1) return `message ${i} is no reply that was sent, or not in its place`;
    next = found + 1;
  }
  return null;
}

function isSame(message: WireMessage, sent: readonly SentBlock[]): boolean {
  const back = blocksOf(message.content);
  const kept = sent.filter((block) => block.type !== "text" || String(block["text"]).trim() !== "");
  const last = kept.findLastIndex(({ type }) => !/thinking$/.test(type));
  return [sent, kept, kept.slice(0, last + 1)].some(
    (blocks) =>
      blocks.length === back.length &&
      blocks.every((block, k) => {
        const other = back[k] as SentBlock | undefined;
        if (other === undefined) return false;
        if (block.type !== "tool_use" || block["input"] !== null)
          return essenceOf([block]) === essenceOf([other]);
        return essenceOf([{ ...block, input: 0 }]) === essenceOf([{ ...other, input: 0 }]);
      }),
  );
}
