import { anthropicModel } from "../src/adapters/anthropic/model.ts";
import { type ResumeFacts, resumedNote } from "../src/app/resumed-note.ts";
import { anthropicPrices, replyCost } from "../src/loop/prices.ts";
import { systemPrompt } from "../src/loop/prompt.ts";
import type { LoopParts } from "../src/loop/run.ts";
import type { Toolbox, ToolCall } from "../src/loop/toolbox.ts";
import type { SessionEvent, Usage } from "../src/session/event.ts";
import { recoverCalls } from "../src/session/recover.ts";
import { toolNamed, tools } from "../src/tools/all.ts";
import { checkArguments, definitions } from "../src/tools/definitions.ts";
import { systemClock } from "../src/wire/clock.ts";
import { budget, inline, someSha } from "../test/kit/given.ts";
import { promptTokens } from "../test/kit/model/prefix.ts";
import { calls, type MessageReply, type Step, say } from "../test/kit/model/script.ts";
import { type ScriptedModel, startModel } from "../test/kit/model/server.ts";
import { seeded } from "../test/kit/race/scheduler.ts";
import { given, opening } from "../test/loop/given-loop.ts";

/** One request and what it cost, in tokens. */
export type Priced = {
  readonly prompt: number;
  /** The part that the request before had sent already. */
  readonly resent: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** Whether a run that went on with the session made it. */
  readonly resumed: boolean;
};

export type CachePlan = {
  readonly turns: number;
  /** The turns with a wide batch of reads, with a round of the checks after it, and in which the run dies. */
  readonly wideAt: number;
  readonly gateAt: number;
  readonly killAt: number;
  /** How long a turn takes, and how long it is until the session goes on. */
  readonly turnMs: number;
  readonly pauseMs: number;
};

const modelName = "claude-sonnet-5-5";
const wide = 30;

/** Plays a session on the real loop, adapter, prompt and tools, dies in the middle, goes on from the log alone. */
export async function playCached(plan: CachePlan): Promise<readonly Priced[]> {
  let now = 0;
  const onRequest = () => {
    now += plan.turnMs;
  };
  await using server = await startModel({ script: scriptOf(plan), now: () => now, onRequest });
  const model = anthropicModel({ apiKey: "key", baseUrl: server.url, clock: systemClock });
  const replies: SessionEvent[] = [];
  const first = await given({ model, budget: roomy, parts: partsOf(plan.killAt) });
  const died = await toEnd(first, plan).catch((error: unknown) => String(error));
  if (died !== lost) throw new Error(`the first run ended as ${JSON.stringify(died)}`);
  replies.push(...first.events);
  now += plan.pauseMs;
  const log = [...opening, ...first.events];
  const second = await given({
    model,
    budget: roomy,
    resumed: log,
    files: first.files,
    parts: partsOf(null),
  });
  await goOn(second, plan.killAt);
  const end = await toEnd(second, plan);
  if (end !== "finished") throw new Error(`the session ended as ${JSON.stringify(end)}`);
  server.assertDone();
  return pricedOf(server, [first.events, second.events]);
}

const roomy = { turns: 10_000, minutes: 10_000 };
const lost = "Error: the machine is lost";

type Session = Awaited<ReturnType<typeof given>>;

/** Runs the loop until the work is finished; the first time it says so, the checks are red. */
async function toEnd(session: Session, { gateAt }: CachePlan): Promise<string> {
  for (;;) {
    const end = await session.run();
    if (end.kind !== "finished") return end.kind;
    const { turn } = session.story.state;
    if (turn.number !== gateAt) return end.kind;
    const tree = someSha as never;
    const findings = inline(`The check test failed on your tree.\n${textOf(seeded(gateAt), 3_000)}`);
    await session.story.append({ type: "gate.failed", round: 1, tree, findings });
  }
}

/** What a resume adds to the log before the loop goes on. */
async function goOn({ story }: Session, turn: number): Promise<void> {
  const run = { id: "2", attempt: 1, job: "agent" };
  await story.append({ type: "run.claimed", gen: 2, run, head: story.head });
  await recoverCalls({ journal: story, append: story.append });
  const facts: ResumeFacts = {
    ...{ by: "octo", suspended: null, idled: false, gate: null, model: null, budget },
    ...{ spent: { turns: turn, minutes: 10, tokens: 100_000, costUsd: 1 } },
    place: {
      ...{ kind: "call", turn, call: { tool: "edit", subject: "src/file.ts" }, nth: 1, of: 1 },
      ...{ settled: "rolled-back", waiting: 0 },
    },
    changes: [{ path: "src/file.ts", status: "modified" }],
  };
  await story.append({ type: "note.added", about: "resumed", text: inline(resumedNote(facts)) });
  await story.append({ type: "sandbox.started", sandbox: "none", pid: null });
}

/** The real tools' definitions and schemas, with made-up outputs; the call of turn `killAt` takes the machine along. */
function partsOf(killAt: number | null): Partial<LoopParts> {
  const specs = definitions(tools);
  const toolbox: Toolbox = {
    specs,
    check: (name, input) => {
      const tool = toolNamed(name);
      return tool === null ? { kind: "invalid", why: `no tool ${name}` } : checkArguments(tool, input);
    },
    run: async (call) => {
      if (killAt !== null && call.id.startsWith(`t${killAt}_`)) throw new Error("the machine is lost");
      return { status: "ok", output: outputOf(call), whole: null, plan: null };
    },
  };
  const system = systemPrompt({
    ...{ repository: "octo/demo", baseSha: someSha, baseRef: "main", setup: ["npm ci"] },
    checks: [{ name: "test", run: "npm test", dir: "" }],
    instructions: { path: "AGENTS.md", text: textOf(seeded(1), 2_000) },
  });
  return {
    toolbox,
    request: { model: modelName, system, tools: specs, maxTokens: 32_000, maxTokensRaised: 64_000 },
  };
}

function scriptOf(plan: CachePlan): readonly Step[] {
  return Array.from({ length: plan.turns }, (_, i) => replyAt(i + 1, plan));
}

function replyAt(turn: number, { turns, wideAt, gateAt, killAt }: CachePlan): MessageReply {
  const random = seeded(turn);
  const lead = { thinking: textOf(random, 200 + 800 * random()), text: textOf(random, 150) };
  const call = (name: string, input: unknown, nth: number) => ({ id: `t${turn}_${nth}`, name, input });
  if (turn === turns || turn === gateAt) return say(`Fix the parser\n\n${textOf(random, 600)}`);
  if (turn === wideAt)
    return calls(
      Array.from({ length: wide }, (_, i) => call("read", { path: `src/part-${i}.ts` }, i)),
      lead,
    );
  const edit = { path: "src/file.ts", old: textOf(random, 300), new: textOf(random, 400) };
  if (turn === killAt || turn % 4 === 3) return calls([call("edit", edit, 0)], lead);
  if (turn % 4 === 0) return calls([call("shell", { command: `npm test -- --run part-${turn}` }, 0)], lead);
  const reads = 1 + Math.floor(3 * random());
  return calls(
    Array.from({ length: reads }, (_, i) => call("read", { path: `src/file-${turn}-${i}.ts` }, i)),
    lead,
  );
}

const outputChars: Readonly<Record<string, readonly [least: number, most: number]>> = {
  read: [1_000, 6_000],
  shell: [500, 8_000],
  edit: [40, 80],
};

function outputOf({ id, tool }: ToolCall): string {
  const random = seeded(Number(id.replaceAll(/\D/g, "")));
  const [least, most] = outputChars[tool] ?? [40, 80];
  return textOf(random, least + (most - least) * random());
}

/** Words of about so many characters; the same for the same draws. */
function textOf(random: () => number, chars: number): string {
  let text = "";
  while (text.length < chars) text += `${random().toString(36).slice(2, 8)} `;
  return text.trimEnd();
}

function pricedOf(server: ScriptedModel, runs: readonly (readonly SessionEvent[])[]): readonly Priced[] {
  const replies = runs.flatMap((events, run) =>
    events.flatMap((event) => (event.type === "reply.received" ? [{ usage: event.usage, run }] : [])),
  );
  if (replies.length !== server.requests.length) throw new Error("a request had no reply");
  return replies.map(({ usage, run }, i) => {
    const [before, request] = [server.requests[i - 1], server.requests[i]];
    if (request === undefined || !request.extendsPrevious)
      throw new Error(`request ${i} does not go on from the one before`);
    return {
      prompt: promptTokens(request.body),
      resent: before === undefined ? 0 : promptTokens(before.body),
      usage,
      costUsd: replyCost(modelName, usage, anthropicPrices) ?? 0,
      resumed: run > 0,
    };
  });
}

export type CacheFigures = {
  readonly resentTokens: number;
  readonly cachedTokens: number;
  /** Of the tokens that had been sent before, those that came from the cache. */
  readonly share: number;
  readonly inputTokens: number;
  /** The same of all tokens sent, new ones included. */
  readonly shareOfInput: number;
  readonly costUsd: number;
};

export function figuresOf(requests: readonly Priced[]): CacheFigures {
  const sum = (of: (request: Priced) => number) => requests.reduce((total, one) => total + of(one), 0);
  const resentTokens = sum(({ resent }) => resent);
  const inputTokens = sum(({ prompt }) => prompt);
  // What is read beyond what the request before had sent is no part of what was resent.
  const cachedTokens = sum(({ resent, usage }) => Math.min(resent, usage.cacheRead));
  const shareOfInput = sum(({ usage }) => usage.cacheRead) / inputTokens;
  const costUsd = sum((request) => request.costUsd);
  return {
    resentTokens,
    cachedTokens,
    share: cachedTokens / resentTokens,
    inputTokens,
    shareOfInput,
    costUsd,
  };
}
