import { type MemoryFiles, memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { type MemoryTool, memoryToolbox } from "../../src/adapters/memory/toolbox.ts";
import { scriptedModel } from "../../src/adapters/scripted/model.ts";
import { parseScript } from "../../src/adapters/scripted/script.ts";
import { digestOf, type Tree } from "../../src/base/hash.ts";
import { maskOf } from "../../src/base/masking.ts";
import type { End } from "../../src/loop/end.ts";
import type { Live } from "../../src/loop/live.ts";
import { runLoop } from "../../src/loop/loop.ts";
import type { Model, ModelRequest, Reply } from "../../src/loop/model.ts";
import type { LoopParts } from "../../src/loop/run.ts";
import { openStory, type Story } from "../../src/loop/story.ts";
import type { Budget, EventRecord, SessionEvent } from "../../src/session/event.ts";
import { createJournal, openJournal } from "../../src/session/open-journal.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { budget, handClock, identity, inline, opened } from "../kit/given.ts";

/** A workspace of one counter: each change makes another tree. */
export class Disk {
  text = "";
  sealed = 0;
  tree(): Tree {
    this.sealed += 1;
    return digestOf(this.text).slice(0, 40) as Tree;
  }
}

export function toolsOn(disk: Disk): readonly MemoryTool[] {
  return [
    {
      name: "read",
      class: "read",
      required: ["path"],
      run: async ({ path }, { call }) => call.attachment ?? `content of ${path}`,
    },
    {
      name: "write",
      class: "workspace",
      required: ["text"],
      run: async ({ text }) => {
        disk.text += text;
        return `wrote ${text}`;
      },
    },
    {
      name: "shell",
      class: "workspace",
      required: ["command"],
      run: async ({ command }) => ({
        status: "ok",
        output: `end of ${command}`,
        whole: `all of ${command}`,
        plan: null,
      }),
    },
  ];
}

export type Setup = {
  readonly script?: readonly unknown[];
  readonly model?: Model;
  readonly tools?: (disk: Disk) => readonly MemoryTool[];
  /** Events that are in the log when the loop starts, after the opening ones; with `resumed`, the whole log. */
  readonly log?: readonly SessionEvent[];
  readonly resumed?: readonly SessionEvent[];
  /** Where the blobs that `resumed` names are. */
  readonly files?: MemoryFiles;
  readonly secrets?: readonly string[];
  readonly budget?: Partial<Budget>;
  readonly parts?: Partial<LoopParts>;
  readonly onLive?: (live: Live) => void;
  /** Aborts the run when it returns true for an event about to be appended. */
  readonly abortAt?: (event: SessionEvent) => boolean;
};

export const opening: readonly SessionEvent[] = [
  opened(),
  { type: "run.claimed", gen: 1, run: { id: "1", attempt: 1, job: "agent" }, head: null },
  { type: "input.accepted", id: "comment:1", by: "octo", text: inline("Fix the bug.") },
];

/** A session on a real journal in memory, ready to run. */
export async function given(setup: Setup = {}) {
  const disk = new Disk();
  const clock = handClock();
  const events: SessionEvent[] = [];
  const requests: ModelRequest[] = [];
  const lives: Live[] = [];
  const abort = new AbortController();
  const files = memorySessionFiles();
  for (const [digest, bytes] of setup.files?.state.blobs ?? []) files.state.blobs.set(digest, bytes);
  const story = await storyOf(setup, files, (event) => {
    events.push(event);
    if (setup.abortAt?.(event) === true) abort.abort();
  });
  const scripted = scriptedModel(parseScript(JSON.stringify(setup.script ?? []), "test"), { name: "test" });
  const model = setup.model ?? scripted;
  const toolbox = memoryToolbox((setup.tools ?? toolsOn)(disk));
  const parts: LoopParts = {
    journal: story,
    model: {
      reply: (request, options) => {
        requests.push(structuredClone(request));
        return model.reply(request, options);
      },
    },
    toolbox,
    seal: async () => ({ kind: "sealed", tree: disk.tree() }),
    prices: {},
    clock,
    random: () => 0.5,
    request: {
      model: "scripted",
      system: "You are an agent.",
      tools: toolbox.specs,
      maxTokens: 1000,
      maxTokensRaised: 2000,
    },
    budget: { ...budget, costUsd: null, ...setup.budget },
    shipped: async () => {},
    intentShipped: async () => {},
    turnEnded: async () => {},
    policy: () => ({ kind: "allow" }),
    listen: () => {},
    heard: async () => [],
    masked: () => {},
    leftOut: () => {},
    changed: async () => [],
    ...setup.parts,
  };
  const options = {
    signal: abort.signal,
    onLive: (live: Live) => {
      lives.push(live);
      setup.onLive?.(live);
    },
  };
  const run = (): Promise<End> => runLoop(parts, options);
  return { run, abort, clock, disk, events, files, lives, requests, story, parts };
}

async function storyOf(
  setup: Setup,
  files: MemoryFiles,
  onEvent: (event: SessionEvent) => void,
): Promise<Story> {
  const mask = maskOf(setup.secrets ?? []);
  const options = { files, clock: handClock(), mask, durability: "process" } as const;
  const created = createJournal(identity(), options);
  const watched = (story: Story): Story => {
    const append = async (event: SessionEvent): Promise<EventRecord> => {
      onEvent(event);
      return story.append(event);
    };
    const endTurn: Story["endTurn"] = async (turn) => {
      const record = await story.endTurn(turn);
      onEvent(record.event);
      return record;
    };
    // The getters of the story have to stay getters.
    return Object.create(story, { append: { value: append }, endTurn: { value: endTurn } }) as Story;
  };
  if (setup.resumed === undefined) {
    const story = await openStory(created);
    for (const event of [...opening, ...(setup.log ?? [])]) await story.append(event);
    return watched(story);
  }
  for (const event of setup.resumed) await created.append(event);
  const verified = verifyLog(files.state, { witnessed: [] });
  if (verified.kind === "damage") throw new Error(verified.why);
  return watched(await openStory(await openJournal(verified.log, { ...options, gen: 2 })));
}

/** A model that gives these replies in turn; one that is a function is called with the request. */
export function modelOf(
  replies: readonly (Reply | ((request: ModelRequest, signal: AbortSignal) => Reply | Promise<Reply>))[],
): Model {
  let next = 0;
  return {
    reply: async (request, { signal }) => {
      const reply = replies[next];
      if (reply === undefined) throw new Error(`the test has ${replies.length} replies and needs one more`);
      next += 1;
      return typeof reply === "function" ? reply(request, signal) : reply;
    },
  };
}

export function reply(
  content: readonly unknown[],
  over: Partial<Extract<Reply, { kind: "reply" }>> = {},
): Reply {
  const calls = content.some((block) => (block as { type?: string }).type === "tool_use");
  return {
    kind: "reply",
    content: content as Extract<Reply, { kind: "reply" }>["content"],
    stopReason: calls ? "tool_use" : "end_turn",
    usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 },
    requestId: "req_1",
    brokenCalls: [],
    ...over,
  };
}

export function failure(over: Partial<Extract<Reply, { kind: "failed" }>> = {}): Reply {
  return { kind: "failed", verdict: "again", reason: "overloaded", status: 529, retryAfterMs: null, ...over };
}

export const text = (words: string) => ({ type: "text", text: words });

export const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });

// Calls as the lines of a script name them.
export const read = (path: string) => ({ name: "read", input: { path } });
export const write = (words: string) => ({ name: "write", input: { text: words } });
export const shell = (command: string) => ({ name: "shell", input: { command } });

/** What the last request tells the model after its last reply. */
export function lastResults(requests: readonly { messages: readonly { content: readonly unknown[] }[] }[]) {
  return requests.at(-1)?.messages.at(-1)?.content;
}

/** The events without what does not matter to a rule: `type`, and for settlements id and status. */
export function outline(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => {
    switch (event.type) {
      case "call.settled":
        return `settled ${event.id} ${event.status}`;
      case "turn.ended":
        return `ended ${event.next}`;
      case "note.added":
        return `note ${event.about}`;
      default:
        return event.type;
    }
  });
}
