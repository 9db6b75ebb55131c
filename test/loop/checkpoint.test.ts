import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/masking.ts";
import { messagesOf } from "../../src/loop/context.ts";
import { openStory, type Story } from "../../src/loop/story.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { noUsage } from "../../src/session/usage.ts";
import { type VerifiedLog, verifyLog } from "../../src/session/verify.ts";
import { handClock, inline } from "../kit/given.ts";
import { given, opening } from "./given-loop.ts";

const script = [
  { thinking: "First.", calls: [read("a"), read("b"), write("one")] },
  { calls: [read("a"), { name: "fly", input: {} }] },
  { text: "half a", stop_reason: "max_tokens" },
  { calls: [{ name: "shell", input: { command: "test" } }, read("output:call_1_1")] },
  { calls: [read("a")] },
  { text: "" },
  { text: "Fix the bug\n\nIt was the off-by-one." },
];

function read(path: string) {
  return { name: "read", input: { path } };
}

function write(text: string) {
  return { name: "write", input: { text } };
}

const withoutCheckpoint = (event: SessionEvent): SessionEvent =>
  event.type === "turn.ended" ? { ...event, checkpoint: null } : event;

type Files = Awaited<ReturnType<typeof given>>["files"];

function proved(files: Files): VerifiedLog {
  const checked = verifyLog(files.state, { witnessed: [] });
  if (checked.kind === "damage") throw new Error(`${checked.code}: ${checked.why}`);
  return checked.log;
}

async function reopened(files: Files, log = proved(files)): Promise<Story> {
  const options = { files, clock: handClock(), mask: maskOf([]), durability: "process", gen: 2 } as const;
  return openStory(await openJournal(log, options));
}

const known = ({ state, context, facts, readings }: Story) => ({ state, context, facts, readings });

/** A session of many turns, whose context was cut after the first ones. */
async function compacted(turns: number) {
  const steps = Array.from({ length: turns }, (_, at) => ({ calls: [read(`file ${at}`)] }));
  const session = await given({ script: [...steps, { text: "Done" }], budget: { turns: 500 } });
  await session.run();
  const placed = await session.story.recordsFrom(0);
  const begins = placed.filter(({ record }) => record.event.type === "reply.requested");
  const from = begins.at(-3)?.offset ?? 0;
  await session.story.append({
    type: "context.compacted",
    summary: inline("Files were read."),
    from,
    usage: noUsage,
    costUsd: 0,
    why: "near-full",
  });
  return { ...session, from };
}

/** The log with everything before a byte made unreadable, after it was proved. */
function blinded({ files }: { files: Files }, before: number): VerifiedLog {
  const log = proved(files);
  const bytes = Buffer.from(log.bytes).fill(35, 0, before - 1);
  files.state.log = bytes;
  return { ...log, bytes };
}

describe("a checkpoint", () => {
  it("leads to what the whole log leads to, wherever it ends", async () => {
    const full = await given({ script });
    await full.run();
    const events = [...opening, ...full.events];
    for (let cut = opening.length; cut <= events.length; cut += 1) {
      const upTo = events.slice(0, cut);
      const quick = await given({ resumed: upTo, files: full.files });
      const slow = await given({ resumed: upTo.map(withoutCheckpoint), files: full.files });
      expect(known(quick.story), `cut at ${cut}`).toEqual(known(slow.story));
    }
    expect(known(await reopened(full.files))).toEqual(known(full.story));
  });

  it("stays within 4 KiB, so that it stands in its own line, however long the session", async () => {
    const steps = Array.from({ length: 120 }, (_, at) => ({ calls: [read(`file ${at}`), write("x")] }));
    const session = await given({ script: [...steps, { text: "Done" }], budget: { turns: 500 } });
    await session.run();
    const kept = session.events.flatMap((event) => (event.type === "turn.ended" ? [event.checkpoint] : []));
    expect(kept.length).toBe(121);
    expect(kept.filter((payload) => payload?.type !== "inline")).toEqual([]);
  });
});

describe("a context that was cut", () => {
  it("is the summary and the turns that were kept, and is the same when it is folded again", async () => {
    const session = await compacted(20);
    const [first, second] = messagesOf(session.story.context);
    expect(first).toEqual({ role: "user", content: [{ type: "text", text: "Files were read." }] });
    expect(second?.content).toMatchObject([{ type: "tool_use", input: { path: "file 18" } }]);
    expect(known(await reopened(session.files))).toEqual(known(session.story));
  });

  it("lets the model read again what was cut out of it", async () => {
    const { story } = await compacted(20);
    const { last } = story.readings;
    expect([last?.before?.id, last?.id]).toEqual(["call_19_1", "call_20_1"]);
    expect(last?.before?.before).toBeNull();
  });

  it("costs a resume nothing of what stands before it, once a turn has ended", async () => {
    const ended = async () => {
      const session = await compacted(60);
      await session.story.endTurn({ turn: 61, next: "compacted", ms: 1 });
      return session;
    };
    const session = await ended();
    const story = await reopened(session.files, blinded(session, session.from));
    expect(known(story)).toEqual(known(session.story));
    // One byte more is one record too many.
    const other = await ended();
    const tooFar = blinded(other, other.from + 2);
    await expect(reopened(other.files, tooFar)).rejects.toThrow(
      `the record at byte ${other.from} cannot be read`,
    );
  });
});
