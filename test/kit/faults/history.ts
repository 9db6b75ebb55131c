import { type AnyBlock, essenceOf } from "../model/paused.ts";
import { blocksOf, type WireRequest } from "../model/wire.ts";

/** A block as it was sent. A call whose arguments were no JSON object has the input null. */
export type SentBlock = AnyBlock & { readonly [key: string]: unknown };

/** A reply that was sent to its end. */
export type Whole = { readonly content: readonly SentBlock[]; readonly paused: boolean };

/**
 * Why the model's own messages in a request are not replies that were sent whole, byte for byte and in order; null
 * when they are. What goes on with a paused reply may stand in its message. Left out may be only what the API takes
 * from nobody: blank text, and thinking that nothing follows.
 */
export function changedHistory({ messages }: WireRequest, whole: readonly Whole[]): string | null {
  let next = 0;
  for (const [i, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const back = blocksOf(message.content) as readonly SentBlock[];
    const found = endOf(back, whole, next);
    if (found === null) return `message ${i} is no reply that was sent, or not in its place`;
    next = found + 1;
  }
  return null;
}

/** The last of the replies, from `next` on, that the message is made of; null when it is made of something else. */
function endOf(back: readonly SentBlock[], whole: readonly Whole[], next: number): number | null {
  for (let from = next; from < whole.length; from += 1) {
    const before: SentBlock[] = [];
    for (const [k, { content, paused }] of whole.slice(from).entries()) {
      if (variantsOf(content).some((blocks) => areSame([...before, ...blocks], back))) return from + k;
      if (!paused) break;
      before.push(...withoutBlank(content));
    }
  }
  return null;
}

function variantsOf(content: readonly SentBlock[]): readonly (readonly SentBlock[])[] {
  const kept = withoutBlank(content);
  const last = kept.findLastIndex(({ type }) => !/thinking$/.test(type));
  return [kept, kept.slice(0, last + 1)];
}

export function withoutBlank(content: readonly SentBlock[]): readonly SentBlock[] {
  return content.filter((block) => block.type !== "text" || String(block["text"]).trim() !== "");
}

function areSame(sent: readonly SentBlock[], back: readonly SentBlock[]): boolean {
  return (
    sent.length === back.length &&
    sent.every((block, k) => {
      const other = back[k];
      if (other === undefined) return false;
      const isBroken = block.type === "tool_use" && block["input"] === null;
      const [one, two] = isBroken
        ? [
            { ...block, input: 0 },
            { ...other, input: 0 },
          ]
        : [block, other];
      return essenceOf([one]) === essenceOf([two]);
    })
  );
}
