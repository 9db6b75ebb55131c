import { blocksOf, type WireMessage } from "./wire.ts";

/** A block as it was sent, or as it came back. */
export type AnyBlock = { readonly type: string };

/** Content without what a client may add to it: null members and cache marks. */
export function essenceOf(content: string | readonly AnyBlock[]): string {
  const blocks = typeof content === "string" ? blocksOf(content) : content;
  return JSON.stringify(blocks, (key, value: unknown) =>
    value === null || key === "cache_control" ? undefined : value,
  );
}

/** Whether a last message is a paused reply, or several that went on with one another, for the provider to go on with. */
export function continuesPaused({ content }: WireMessage, paused: readonly (readonly AnyBlock[])[]): boolean {
  const back = essenceOf(content);
  return paused.some((_, from) =>
    paused.slice(from).some((__, length) => essenceOf(paused.slice(from, from + length + 1).flat()) === back),
  );
}
