import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyOf } from "../../src/adapters/anthropic/body.ts";
import type { MemoryFiles } from "../../src/adapters/memory/files.ts";
import { memoryToolbox } from "../../src/adapters/memory/toolbox.ts";
import { maskOf } from "../../src/base/masking.ts";
import { malformed, markBroken } from "../../src/loop/blocks.ts";
import { decide } from "../../src/loop/decide.ts";
import type { ModelRequest, Reply } from "../../src/loop/model.ts";
import { openStory, type Story } from "../../src/loop/story.ts";
import type { Block, SessionEvent } from "../../src/session/event.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { recordsFrom } from "../../src/session/reader.ts";
import { type VerifiedLog, verifyLog } from "../../src/session/verify.ts";
import { handClock } from "../kit/given.ts";
import { extendsPrompt } from "../kit/model/prefix.ts";
import { refuseBody } from "../kit/model/rules.ts";
import { redact, signThinking } from "../kit/model/signing.ts";
import type { WireRequest } from "../kit/model/wire.ts";
import { Disk, failure, given, reply, toolsOn } from "./given-loop.ts";

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f");
const words = fc.constantFrom("", " ", "\n", "Done", "I look.", "x".repeat(50));

const goodCall = fc
  .record({
    id: ids,
    call: fc.constantFrom(["read", "path"], ["write", "text"], ["shell", "command"]),
    text: words,
  })
  .map(({ id, call: [name = "", key = ""], text }) => ({
    type: "tool_use",
    id,
    name,
    input: { [key]: text },
  }));
/** Each has one thing wrong. */
const badCall = fc.constantFrom<(id: string) => Block>(
  (id) => ({ type: "tool_use", id, name: "fly", input: {} }),
  (id) => ({ type: "tool_use", id, name: "read", input: {} }),
  (id) => ({ type: "tool_use", id, name: "read", input: { path: 7 } }),
  (id) => ({ type: "tool_use", id, name: "read", input: { path: "x", more: "y" } }),
  (id) => ({ type: "tool_use", id, name: "constructor", input: { path: "x" } }),
);
const illFormed = fc.constantFrom<Block>(
  { type: "tool_use", id: "no good", name: "read", input: { path: "x" } },
  { type: "tool_use", id: "", name: "read", input: { path: "x" } },
  { type: "tool_use", name: "read", input: { path: "x" } },
  { type: "tool_use", id: "g", name: "", input: {} },
  { type: "tool_use", id: "g", name: "read", input: [1] },
  { type: "tool_use", id: "g", name: "read", input: null },
  { type: "tool_use", id: "g", name: "read" },
);
const plain = fc.oneof(
  words.map((text): Block => ({ type: "text", text })),
  words.map((thinking): Block => ({ type: "thinking", thinking, signature: signThinking(thinking) })),
  words.map((hidden): Block => ({ type: "redacted_thinking", data: redact(hidden) })),
);
const strange = fc.constantFrom<Block>(
  { type: "server_tool_use", id: "s", name: "web_search", input: {} },
  { type: "hologram" },
  { type: "__proto__" },
);

const block = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 6, arbitrary: goodCall },
  { weight: 2, arbitrary: fc.tuple(ids, badCall).map(([id, make]) => make(id)) },
  { weight: 1, arbitrary: illFormed },
  { weight: 1, arbitrary: strange },
);

const plainStops = ["end_turn", "tool_use", "stop_sequence"] as const;
const cutStops = ["max_tokens", "model_context_window_exceeded"] as const;
const stop = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(...plainStops) },
  { weight: 3, arbitrary: fc.constantFrom<string>("pause_turn", ...cutStops, "refusal") },
  { weight: 1, arbitrary: fc.constantFrom("", "moon", "toString", "TOOL_USE") },
);

const anyReply = fc.record({
  content: fc.array(block, { maxLength: 6 }),
  stopReason: stop,
  broken: fc.subarray(["a", "b", "c"]),
});

const toolbox = memoryToolbox(toolsOn(new Disk()));
const required: Readonly<Record<string, string>> = { read: "path", write: "text", shell: "command" };

function isWhole(input: unknown): boolean {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

/** Said again, by other means than the product's: whether this call alone could be run. */
function isValid({ name, input }: Block): boolean {
  const key = Object.hasOwn(required, String(name)) ? required[String(name)] : undefined;
  const given = Object.entries((input ?? {}) as object);
  return key !== undefined && given.length === 1 && given[0]?.[0] === key && typeof given[0][1] === "string";
}

const isCall = ({ type, id, name, input }: Block): boolean =>
  type === "tool_use" && /^[\w-]+$/.test(String(id ?? "")) && String(name ?? "") !== "" && isWhole(input);
const isKnown = ({ type }: Block): boolean =>
  ["text", "thinking", "redacted_thinking", "tool_use"].includes(type);
const mayRun = (content: readonly Block[], stopReason: string): boolean =>
  content.every(isKnown) &&
  content.filter(isCall).every(isValid) &&
  [...plainStops, "pause_turn"].includes(stopReason);

describe("what any reply leads to", () => {
  it("is that all of its calls run or none, and none of what is cut, refused, not understood or invalid (F8)", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), ({ content, stopReason, broken }, nudgedBefore) => {
        const marked = markBroken(content, broken);
        const { calls, after } = decide({ content: marked, stopReason, masked: [], nudgedBefore }, toolbox);
        const asked = marked.filter(isCall);
        const running = calls.filter(({ refusal }) => refusal === null);
        if (running.length > 0) {
          expect(running.length).toBe(calls.length);
          expect(mayRun(marked, stopReason)).toBe(true);
          expect(after).toEqual({ kind: "go-on", next: "calls" });
        }
        if (asked.length > 0 && mayRun(marked, stopReason)) expect(running.length).toBe(asked.length);
        // Every call has its place, once and in order; an ending without calls has none.
        expect(calls.map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
      }),
      { numRuns: 2000 },
    );
  });

  it("goes on only for a complete call, a pause, a cut or an empty reply", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), ({ content, stopReason }, nudgedBefore) => {
        const { after } = decide({ content, stopReason, masked: [], nudgedBefore }, toolbox);
        const asked = content.filter(isCall).length;
        const isCut = cutStops.some((cut) => cut === stopReason);
        switch (after.kind) {
          case "go-on":
            expect(after.next === "calls" ? asked : stopReason).toEqual(
              after.next === "calls" ? expect.any(Number) : "pause_turn",
            );
            expect(asked > 0).toBe(after.next === "calls");
            break;
          case "truncated":
            expect(isCut).toBe(true);
            break;
          case "nudge":
            expect([asked, nudgedBefore, isCut]).toEqual([0, false, false]);
            break;
          case "end":
            expect(after.end.kind === "finished" ? asked : 0).toBe(0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("is not caused by the stop reason: those that forbid nothing lead to the same", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), ({ content }, nudgedBefore) => {
        const [first, ...others] = plainStops.map((stopReason) =>
          decide({ content, stopReason, masked: [], nudgedBefore }, toolbox),
        );
        for (const other of others) expect(other).toEqual(first);
      }),
    );
  });

  it("is asked for again where a call could not be told from another, or not be sent back", () => {
    fc.assert(
      fc.property(anyReply, fc.uniqueArray(ids), ({ content }, used) => {
        const calls = content.filter(({ type }) => type === "tool_use");
        const named = calls.map(({ id }) => String(id));
        const isRepeated = new Set([...used, ...named]).size < used.length + named.length;
        expect(malformed(content, new Set(used)) !== null).toBe(isRepeated || !calls.every(isCall));
      }),
      { numRuns: 1000 },
    );
  });
});

/** A reply whose calls have ids of their own, mostly: else the loop asks again, and nothing else is seen. */
const inSequence = fc
  .tuple(anyReply, fc.integer({ min: 0, max: 9 }))
  .map(([one, chance]) => ({ ...one, chance }));

type InSequence = {
  readonly content: readonly Block[];
  readonly stopReason: string;
  readonly broken: readonly string[];
  readonly chance: number;
};

function spread({ content, stopReason, broken, chance }: InSequence, index: number): Reply {
  const own = (id: unknown, at: number): string => `${String(id)}_${index}_${at}`;
  const spreads = chance > 0;
  const blocks = content.map((one, at) =>
    spreads && isCall(one) ? { ...one, id: own(one["id"], at) } : one,
  );
  const brokenCalls = blocks.flatMap((one, at) => {
    const before = String(content[at]?.["id"]);
    return one.type === "tool_use" && broken.includes(before) ? [String(one["id"])] : [];
  });
  return reply(blocks, { stopReason, brokenCalls });
}

function logIn(files: MemoryFiles): VerifiedLog {
  const verified = verifyLog(files.state, { witnessed: [] });
  if (verified.kind === "damage") throw new Error(verified.why);
  return verified.log;
}

function eventsIn(files: MemoryFiles): readonly SessionEvent[] {
  return [...recordsFrom(logIn(files).bytes, 0)].map(({ record }) => record.event);
}

/** As the next run finds it. */
async function reopened(files: MemoryFiles): Promise<Story> {
  const log = logIn(files);
  const gen = log.manifest.gen + 1;
  const options = { files, clock: handClock(), mask: maskOf([]), durability: "process", gen } as const;
  const story = await openStory(await openJournal(log, options));
  const run = { id: String(gen), attempt: 1, job: "agent" };
  await story.append({ type: "run.claimed", gen, run, head: log.tail });
  return story;
}

describe("any sequence of replies", () => {
  it("makes requests that the API takes, runs only what may run, and gives each call one result, also over many runs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(inSequence, { minLength: 1, maxLength: 8 }), async (sequence) => {
        const replies = sequence.map(spread);
        const sent: ModelRequest[] = [];
        let next = 0;
        const model = {
          reply: async (request: ModelRequest) => {
            sent.push(structuredClone(request));
            const given = replies[next] ?? failure({ verdict: "final" });
            next += 1;
            return given;
          },
        };
        let session = await given({ model });
        const { files } = session;
        // A run that ended is followed by another one, as long as there are replies and it asks for any.
        for (let before = -1; before < next && next < replies.length; ) {
          before = next;
          await session.run();
          session = await given({ model, parts: { journal: await reopened(files) } });
        }
        const grows = !sequence.some(changesWhatWasSent);
        judgeRequests(sent, { grows });
        judgeCalls(eventsIn(files));
      }),
      { numRuns: 150 },
    );
  });
});

/**
 * A full window is compacted, and what follows is another conversation. And a paused reply that ends in thinking may go
 * on with nothing: then that is taken out, since the API takes it at the very end only.
 */
function changesWhatWasSent({ content, stopReason }: InSequence): boolean {
  if (stopReason === "model_context_window_exceeded") return true;
  return stopReason === "pause_turn" && content.some(({ type }) => type.endsWith("thinking"));
}

function judgeRequests(sent: readonly ModelRequest[], { grows }: { readonly grows: boolean }): void {
  const bodies = sent.map((request) => bodyOf(request) as unknown as WireRequest);
  for (const [i, body] of bodies.entries()) {
    // Whether the last message is a paused reply is the product's own proof; the API has to take all the rest.
    expect(refuseBody(body, { continues: () => true })).toBeUndefined();
    const before = bodies[i - 1];
    if (grows && before !== undefined) expect(extendsPrompt(before, body)).toBe(true);
  }
}

function judgeCalls(events: readonly SessionEvent[]): void {
  const intended = events.flatMap((event) => (event.type === "calls.intended" ? event.calls : []));
  const settled = events.flatMap((event) => (event.type === "call.settled" ? [event] : []));
  expect(settled.map(({ id }) => id).sort()).toEqual(intended.map(({ id }) => id).sort());
  let last: Extract<SessionEvent, { type: "reply.received" }> | null = null;
  for (const event of events) {
    if (event.type === "reply.received") last = event;
    if (event.type !== "call.settled" || event.status === "not-run") continue;
    if (last?.content.type !== "inline") throw new Error("a call ran that no reply asked for");
    const content = JSON.parse(last.content.text) as readonly Block[];
    expect(content.map(({ id }) => id)).toContain(event.id);
    expect(mayRun(content, last.stopReason)).toBe(true);
  }
}
