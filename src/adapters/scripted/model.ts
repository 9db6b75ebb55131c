import type { Model, ModelRequest, Reply } from "../../loop/model.ts";
import type { Block } from "../../session/event.ts";
import type { ScriptedReply } from "./script.ts";

/**
 * A model that says what a script holds. Which reply is next follows from how many the request holds already, so a
 * resumed session goes on at the right place; a reply that leaves no trace in the request (an empty one) is skipped
 * by the model that gave it, but given again after a resume. A script that is too short is a `final` failure.
 */
export function scriptedModel(script: readonly ScriptedReply[], { name }: { readonly name: string }): Model {
  let given = 0;
  return {
    reply: async (request, { signal, onLive }) => {
      if (signal.aborted) return failed("cancelled", "cancelled");
      const position = Math.max(given, request.messages.filter(({ role }) => role === "assistant").length);
      const reply = script[position];
      if (reply === undefined) {
        const holds = script.length === 1 ? "1 reply" : `${script.length} replies`;
        return failed("final", `script ${name} has ${holds} and was asked for one more`);
      }
      given = position + 1;
      if (reply.thinking !== "") onLive({ kind: "thinking.delta", text: reply.thinking });
      if (reply.text !== "") onLive({ kind: "text.delta", text: reply.text });
      for (const { id, name: tool, input } of callsOf(reply, position)) {
        onLive({ kind: "call.delta", id, tool, json: "" });
        onLive({ kind: "call.delta", id, tool, json: JSON.stringify(input) });
      }
      return said(reply, position, request);
    },
  };
}

function said(reply: ScriptedReply, position: number, request: ModelRequest): Reply {
  const content = contentOf(reply, position);
  return {
    kind: "reply",
    content,
    stopReason: reply.stopReason ?? (reply.calls.length > 0 ? "tool_use" : "end_turn"),
    usage: { input: tokensOf(request), output: tokensOf(content), cacheRead: 0, cacheWrite: 0 },
    requestId: null,
    brokenCalls: [],
  };
}

function contentOf(reply: ScriptedReply, position: number): readonly Block[] {
  const { thinking, text } = reply;
  return [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: "scripted" }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...callsOf(reply, position),
  ];
}

function callsOf({ calls }: ScriptedReply, position: number) {
  return calls.map(({ name, input, id }, i) => {
    return { type: "tool_use", id: id ?? `call_${position + 1}_${i + 1}`, name, input };
  });
}

function failed(verdict: "final" | "cancelled", reason: string): Reply {
  return { kind: "failed", verdict, reason, status: null, retryAfterMs: null };
}

/** Four characters each: near enough for a budget to be seen at work. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
