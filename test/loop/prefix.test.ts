import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyOf } from "../../src/adapters/anthropic/body.ts";
import type { MemoryFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import { messagesOf } from "../../src/loop/context.ts";
import type { Message, Model, ModelRequest, Reply } from "../../src/loop/model.ts";
import { openStory } from "../../src/loop/story.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { recoverCalls } from "../../src/session/recover.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { handClock, inline } from "../kit/given.ts";
import { extendsPrompt } from "../kit/model/prefix.ts";
import { refuseBody } from "../kit/model/rules.ts";
import { signThinking } from "../kit/model/signing.ts";
import type { WireRequest } from "../kit/model/wire.ts";
import { failure, given, opening, reply, text, toolsOn, use } from "./given-loop.ts";

/** What a model can do next, or what can happen to the run that asks it. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("calls" as const),
      calls: fc.array(callKind(), { minLength: 1, maxLength: 9 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom("say", "think", "nothing", "cut", "cut-call", "pause", "refuse", "strange"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom("fail", "repeat-id", "dies") }) },
);

function callKind() {
  return fc.constantFrom("read", "write", "shell", "unknown", "wrong", "dies");
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const thinking = { type: "thinking", thinking: "Hm.", signature: signThinking("Hm.") };

function replyTo(one: Step, nth: number): Reply {
  if ("calls" in one) return reply([thinking, ...one.calls.map((kind, i) => callOf(kind, `c${nth}_${i}`))]);
  switch (one.does) {
    case "say":
      return reply([text(`I have done ${nth}.`)]);
    case "think":
      return reply([thinking]);
    case "nothing":
      return reply([]);
    case "cut":
      return reply([text("and so")], { stopReason: "max_tokens" });
    case "cut-call":
      return reply([use(`c${nth}_0`, "write", { text: "half" })], { stopReason: "max_tokens" });
    case "pause":
      return reply([text("wait")], { stopReason: "pause_turn" });
    case "refuse":
      return reply([text("No.")], { stopReason: "refusal" });
    case "strange":
      return reply([{ type: "hologram" }]);
    case "repeat-id":
      return reply([use("c0_0", "read", { path: "a" }), use("c0_0", "read", { path: "a" })]);
    default:
      return failure();
  }
}

function callOf(kind: string, id: string) {
  switch (kind) {
    case "unknown":
      return use(id, "fly", {});
    case "wrong":
      return use(id, "read", { road: "a" });
    case "write":
      return use(id, "write", { text: id.length % 2 === 0 ? id : "x".repeat(9_000) });
    case "dies":
      return use(id, "shell", { command: "die" });
    default:
      return use(id, kind, kind === "read" ? { path: id } : { command: "ls" });
  }
}

const claim = { run: { id: "1", attempt: 1, job: "agent" }, head: null } as const;

/** Plays a session to the end of its steps, in as many runs as it takes, and gives every request that was made. */
async function play(steps: readonly Step[], said: ReadonlySet<number>): Promise<readonly ModelRequest[]> {
  const requests: ModelRequest[] = [];
  let taken = 0;
  const model: Model = {
    reply: async (request) => {
      requests.push(structuredClone(request));
      const next = steps[taken];
      taken += 1;
      if (next?.does === "dies") throw new Error("the run died");
      return next === undefined ? reply([text("Done.")]) : replyTo(next, taken);
    },
  };
  const heard = async () =>
    said.has(taken) ? [{ id: `comment:${taken}0`, by: "octo", text: `More of ${taken}.` }] : [];
  let [events, files]: [readonly SessionEvent[], MemoryFiles | null] = [opening, null];
  for (let gen = 2; gen < 60; gen += 1) {
    const before = files === null ? { log: [] } : { resumed: events, files };
    const session = await given({ ...before, model, tools: mortalTools, parts: { heard } });
    const { story } = session;
    if (files !== null) await goOn(story, gen);
    const end = await session.run().catch(() => null);
    if (end?.kind === "finished") {
      if (taken >= steps.length) return requests;
      const tree = "2".repeat(40) as never;
      await story.append({ type: "gate.failed", round: 1, tree, findings: inline(`Red after ${taken}.`) });
    } else if (end !== null) await story.append({ type: "run.suspended", reason: end.kind, detail: "" });
    expect(await foldedAgain(session.files)).toBe(JSON.stringify(messagesOf(story.context)));
    events = [...events, ...session.events];
    ({ files } = session);
  }
  throw new Error("the session came to no end");
}

async function goOn(story: Awaited<ReturnType<typeof given>>["story"], gen: number): Promise<void> {
  await story.append({ type: "run.claimed", gen, ...claim });
  await recoverCalls({ journal: story, append: story.append });
  await story.append({ type: "note.added", about: "resumed", text: inline(`Run ${gen}.`) });
  await story.append({ type: "sandbox.started", sandbox: "none", pid: null });
}

/** One command takes the run along with it. */
const mortalTools: typeof toolsOn = (disk) =>
  toolsOn(disk).map((tool) => ({
    ...tool,
    run: async (input, options) => {
      if (input["command"] === "die") throw new Error("the run died");
      return tool.run(input, options);
    },
  }));

/** The messages as a new process finds them in the journal. */
async function foldedAgain(files: MemoryFiles): Promise<string> {
  const proved = verifyLog(files.state, { witnessed: [] });
  if (proved.kind === "damage") throw new Error(proved.why);
  const options = { files, clock: handClock(), mask: maskOf([]), durability: "process", gen: 99 } as const;
  const { context } = await openStory(await openJournal(proved.log, options));
  return JSON.stringify(messagesOf(context));
}

/** Null where `after` is `before` with something added: to its last message (the user's, or a paused one), and behind it. */
function broken(before: readonly Message[], after: readonly Message[]): string | null {
  const last = before.length - 1;
  for (const [i, message] of before.entries()) {
    const now = after[i];
    if (now?.role !== message.role) return `message ${i} is gone`;
    const may = i === last ? now.content.slice(0, message.content.length) : now.content;
    if (JSON.stringify(may) !== JSON.stringify(message.content)) return `message ${i} is another one`;
  }
  return null;
}

function wire(request: ModelRequest): WireRequest {
  // What is sent is JSON.
  return JSON.parse(JSON.stringify(bodyOf(request))) as WireRequest;
}

describe("whatever happens to a session", () => {
  it("each request is the one before with something added, and one that the API takes", async () => {
    let several = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.uniqueArray(fc.nat(14)), async (steps, said) => {
        const requests = await play(steps, new Set(said));
        if (requests.length > 5) several += 1;
        for (const [i, request] of requests.entries()) {
          expect(refuseBody(wire(request), { continues: () => true })).toBeUndefined();
          const before = requests[i - 1];
          if (before === undefined) continue;
          expect(broken(before.messages, request.messages)).toBeNull();
          expect(extendsPrompt(wire(before), wire(request))).toBe(true);
        }
      }),
      { numRuns: 150, seed: 4 },
    );
    expect(several).toBeGreaterThan(50);
  });
});
