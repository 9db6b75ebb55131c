// A model that tells one story: two reads at once, three writes, a red gate, the right fix, a green gate. What it says
// next follows from the conversation alone, so that any number of processes can be told it.
import type { Message, Model } from "../../../src/loop/model.ts";
import type { Block } from "../../../src/session/event.ts";

export type Step = { readonly text: string } | { readonly calls: readonly { name: string; input: object }[] };

const read = (path: string) => ({ name: "read", input: { path } });
const write = (path: string, text: string) => ({ name: "write", input: { path, text } });

export const tale: readonly Step[] = [
  { calls: [read("a.txt"), read("b.txt")] },
  { calls: [write("a.txt", "fixed\n"), write("notes.txt", "one\n"), write("more.txt", "more\n")] },
  { text: "Fix a" },
  { calls: [write("b.txt", "fixed\n")] },
  { text: "Fix a and b\n\nBoth were wrong." },
];

/** What the branch has to hold in the end. */
export const taleEnd: Readonly<Record<string, string>> = {
  "a.txt": "fixed\n",
  "b.txt": "fixed\n",
  "notes.txt": "one\n",
  "more.txt": "more\n",
};

/** Calls that were undone are made again before the story goes on. */
export function tellsStory(steps: readonly Step[] = tale): Model {
  return {
    reply: async ({ messages }, { signal }) => {
      if (signal.aborted)
        return {
          kind: "failed",
          verdict: "cancelled",
          reason: "cancelled",
          status: null,
          retryAfterMs: null,
        };
      const said = messages.filter(({ role }) => role === "assistant").length;
      const again = undoneIn(messages.at(-1));
      const calls = again.map((id) => callOf(messages, id));
      const step = calls.length > 0 ? { calls } : steps[said - repliesAgain(messages)];
      if (step === undefined) throw new Error("the story is over, and the model is asked again");
      const content: readonly Block[] =
        "text" in step
          ? [{ type: "text", text: step.text }]
          : step.calls.map((call, i) => ({ type: "tool_use", id: `call_${said + 1}_${i + 1}`, ...call }));
      return {
        kind: "reply",
        content,
        stopReason: "text" in step ? "end_turn" : "tool_use",
        usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
        requestId: null,
        brokenCalls: [],
      };
    },
  };
}

const undone = /Its changes were discarded|did not take effect|it is not run again|it is asked for anew/;

function undoneIn(message: Message | undefined): readonly string[] {
  const blocks = message?.role === "user" ? message.content : [];
  return blocks.flatMap((block) =>
    block.type === "tool_result" && undone.test(String(block["content"]))
      ? [String(block["tool_use_id"])]
      : [],
  );
}

/** How many replies only made undone calls again. */
function repliesAgain(messages: readonly Message[]): number {
  return messages.filter((message) => undoneIn(message).length > 0).length;
}

function callOf(messages: readonly Message[], id: string): { name: string; input: object } {
  const block = messages.flatMap(({ content }) => content).find((one) => one["id"] === id);
  if (block === undefined) throw new Error(`nobody made the call ${id}`);
  return { name: String(block["name"]), input: block["input"] as object };
}
