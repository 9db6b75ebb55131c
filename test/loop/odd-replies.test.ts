import { describe, expect, it } from "vitest";
import { texts } from "../../src/loop/decide.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { failure, given, lastResults, modelOf, opening, outline, reply, text, use } from "./given-loop.ts";

const call = use("a", "write", { text: "x" });
const done = reply([text("Done")]);

describe("what is never run", () => {
  const never = () => [
    {
      name: "write",
      class: "workspace" as const,
      required: ["text"],
      run: async () => {
        throw new Error("a call ran that may not");
      },
    },
  ];

  it("settles every call of a cut batch, raises the output limit and asks again", async () => {
    const cut = reply([call, use("b", "write", { text: "y" })], { stopReason: "max_tokens" });
    const session = await given({ tools: never, model: modelOf([cut, done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(lastResults(session.requests)).toMatchObject([{ content: texts.cut }, { content: texts.cut }]);
    expect(session.requests.map(({ maxTokens }) => maxTokens)).toEqual([1000, 2000]);
    expect(outline(session.events)).toContain("ended truncated");
  });

  it("ends after three cut replies in a row", async () => {
    const cut = (id: string) => reply([use(id, "write", { text: "x" })], { stopReason: "max_tokens" });
    const session = await given({ tools: never, model: modelOf([cut("a"), cut("b"), cut("c")]) });
    expect(await session.run()).toEqual({
      kind: "stuck",
      why: "3 replies in a row were cut at a limit of the model",
    });
  });

  it("asks for the rest of a text that was cut", async () => {
    const session = await given({
      model: modelOf([reply([text("So")], { stopReason: "max_tokens" }), done]),
    });
    await session.run();
    expect(lastResults(session.requests)).toEqual([text(texts.truncated)]);
  });

  it("tells which call was invalid, and that the others were not run because of it", async () => {
    const batch = reply([use("a", "fly", {}), use("b", "write", { text: "x" })]);
    const session = await given({ tools: never, model: modelOf([batch, done]) });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: "Not executed: there is no tool fly", is_error: true },
      { content: texts.otherInvalid, is_error: true },
    ]);
  });

  it("does not run a call whose arguments were broken, even where an empty object would do", async () => {
    const tools = () => never().map((tool) => ({ ...tool, required: [] }));
    const broken = reply([use("a", "write", {})], { brokenCalls: ["a"] });
    const session = await given({ tools, model: modelOf([broken, done]) });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([{ content: texts.notJson, is_error: true }]);
  });

  it("drops a reply with a repeated id whole and asks again", async () => {
    const session = await given({ tools: never, model: modelOf([reply([call, call]), done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.failed",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it.each([
    ["refused", reply([call], { stopReason: "refusal" }), { kind: "declined" }],
    [
      "not understood",
      reply([call], { stopReason: "moon" }),
      { kind: "unknown", why: "a reply stopped because of moon" },
    ],
    [
      "stopped for what is no name",
      reply([call], { stopReason: "@octo/all\n# Done" }),
      { kind: "unknown", why: "a reply stopped because of something without a usable name" },
    ],
  ])("ends after a reply that was %s, with a result for each of its calls", async (_, first, end) => {
    const session = await given({ tools: never, model: modelOf([first]) });
    expect(await session.run()).toEqual(end);
    expect(outline(session.events).slice(2)).toEqual(["calls.intended", "settled a not-run", "ended done"]);
  });

  it("nudges an empty reply once, then takes it for the end", async () => {
    const session = await given({ script: [{ text: "" }, { text: "" }] });
    expect(await session.run()).toEqual({ kind: "finished", text: "" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.received",
      "note nudge",
      "ended nudge",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("sends a paused reply back unchanged, and gives up after five in a row", async () => {
    const pause = (i: number) => reply([text(`still ${i}`)], { stopReason: "pause_turn" });
    const session = await given({ model: modelOf([1, 2, 3, 4, 5].map(pause)) });
    expect(await session.run()).toMatchObject({
      kind: "provider",
      reason: "the provider paused 5 times in a row",
    });
    expect(session.requests[1]?.messages.at(-1)).toEqual({ role: "assistant", content: [text("still 1")] });
  });
});

describe("a failed request", () => {
  it("is tried again after a wait that has full jitter, and the tries are recorded", async () => {
    const session = await given({ model: modelOf([failure(), failure(), done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    const waits = session.lives.flatMap((live) => (live.kind === "retry.wait" ? [live.ms] : []));
    expect(waits).toEqual([1500, 2500]);
    expect(session.events.flatMap((e) => (e.type === "reply.requested" ? [e.attempt] : []))).toEqual([
      1, 2, 3,
    ]);
  });

  it("counts what it used like a reply", async () => {
    const usage = { input: 70, output: 7, cacheRead: 5, cacheWrite: 3 };
    const model = modelOf([failure({ usage }), reply([call, call], { usage }), failure(), done]);
    const session = await given({ model });
    await session.run();
    expect(session.story.state.usage).toEqual({ input: 240, output: 24, cacheRead: 10, cacheWrite: 6 });
  });

  it("waits as long as the provider asks", async () => {
    const session = await given({ model: modelOf([failure({ retryAfterMs: 90_000 }), done]) });
    await session.run();
    expect(session.clock.elapsed()).toBe(90_000);
  });

  it("ends with the time to come back when that is after the time budget", async () => {
    const session = await given({ model: modelOf([failure({ retryAfterMs: 3_600_000 })]) });
    const retryAtMs = session.clock.now() + 3_600_000;
    expect(await session.run()).toMatchObject({ kind: "provider", retryAtMs });
    expect(session.clock.elapsed()).toBe(0);
  });

  it("is not tried again when the provider says no", async () => {
    const session = await given({ model: modelOf([failure({ verdict: "final", reason: "bad key" })]) });
    expect(await session.run()).toEqual({ kind: "provider", reason: "bad key", retryAtMs: null });
  });

  it("is tried six times a turn, those of a run that died included, those before a clean suspend not", async () => {
    const six = Array(6).fill(failure());
    const first = await given({ model: modelOf(six) });
    expect(await first.run()).toMatchObject({ kind: "provider" });
    expect(first.requests.length).toBe(6);
    const log = [...opening, ...first.events];
    const died = await given({ resumed: log, model: modelOf([]) });
    expect(await died.run()).toMatchObject({ kind: "provider", reason: "6 requests got no reply" });
    const suspended: SessionEvent = { type: "run.suspended", reason: "provider", detail: "" };
    const resumed = await given({ resumed: [...log, suspended], model: modelOf([done]) });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(resumed.events[0]).toMatchObject({ type: "reply.requested", attempt: 7 });
  });
});
