import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/adapters/scripted/model.ts";
import { parseScript } from "../../../src/adapters/scripted/script.ts";
import { ask, hello, modelContract } from "../../contracts/model.ts";
import { parseScript as kitParse } from "../../kit/model/script-file.ts";

const modelFor = (script: unknown) =>
  scriptedModel(parseScript(JSON.stringify(script), "words.json"), { name: "words.json" });

describe("the scripted model", () => {
  modelContract(async (script) => ({ model: modelFor(script), [Symbol.asyncDispose]: async () => {} }));

  it("goes on where the request stands, in a new process", async () => {
    const messages = [
      ...hello.messages,
      { role: "assistant", content: [{ type: "text", text: "one" }] } as const,
      { role: "user", content: [{ type: "text", text: "more" }] } as const,
    ];
    const { reply } = await ask(modelFor([{ text: "one" }, { text: "two" }]), { ...hello, messages });
    expect(reply).toMatchObject({ content: [{ text: "two" }] });
  });

  it("fails for good when the script is too short", async () => {
    const { reply } = await ask(modelFor([]));
    expect(reply).toMatchObject({
      kind: "failed",
      verdict: "final",
      reason: "script words.json has 0 replies and was asked for one more",
    });
  });
});

describe("a script", () => {
  it.each([
    ["{", "script s: is not JSON"],
    ["{}", "script s: must be an array of replies"],
    ["[1]", "script s, reply 1: must be an object"],
    ["[{}]", 'script s, reply 1: needs "text" or "calls"'],
    [
      '[{"text":"x"},{"txt":"x"}]',
      'script s, reply 2: does not know "txt"; known are text, calls, thinking, stop_reason, note',
    ],
    ['[{"text":7}]', 'script s, reply 1: "text" must be a string'],
    ['[{"calls":{}}]', 'script s, reply 1: "calls" must be an array'],
    ['[{"calls":[{"input":{}}]}]', 'script s, reply 1, call 1: needs a "name"'],
    ['[{"calls":[{"name":"read","input":[]}]}]', 'script s, reply 1, call 1: "input" must be an object'],
  ])("is refused with the place and the reason: %s", (text, why) => {
    expect(() => parseScript(text, "s")).toThrow(why);
    expect(() => kitParse(text, "s")).toThrow();
  });

  it("is read by the scripted server the same way", () => {
    const text = JSON.stringify([
      {
        note: "n",
        thinking: "t",
        text: "x",
        calls: [{ name: "read", input: {}, id: "i" }],
        stop_reason: "s",
      },
    ]);
    expect(parseScript(text, "s")).toEqual([
      { thinking: "t", text: "x", calls: [{ name: "read", input: {}, id: "i" }], stopReason: "s" },
    ]);
    expect(kitParse(text, "s")).toEqual([
      {
        kind: "message",
        content: [
          { type: "thinking", thinking: "t" },
          { type: "text", text: "x" },
          { type: "tool_use", name: "read", input: {}, id: "i" },
        ],
        stopReason: "s",
      },
    ]);
  });
});
