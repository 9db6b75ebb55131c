import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import { messagesOf } from "../../src/loop/context.ts";
import { openStory } from "../../src/loop/story.ts";
import { lastCheckpoint, stateOf } from "../../src/session/checkpoint.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { foldFrom, initialState } from "../../src/session/state.ts";
import { formatVersion } from "../../src/session/upcast.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { eventsOf, handClock, recordsOf } from "../kit/given.ts";

/** A session as a version that wrote that format left it, killed with a command under way. */
function left(format: number) {
  const dir = join(import.meta.dirname, `format-${format}`);
  const read = (name: string) => readFileSync(join(dir, name));
  const files = memorySessionFiles();
  files.state.manifest = read("session.json");
  files.state.log = read("events.jsonl");
  for (const digest of readdirSync(join(dir, "blobs")))
    files.state.blobs.set(digest, read(`blobs/${digest}`));
  return { files, messages: JSON.parse(String(read("messages.json"))) as unknown };
}

function proved(files: ReturnType<typeof left>["files"]) {
  const checked = verifyLog(files.state, { witnessed: [] });
  if (checked.kind === "damage") throw new Error(`${checked.code}: ${checked.why}`);
  return checked.log;
}

const older = Array.from({ length: formatVersion - 1 }, (_, at) => at + 1);

describe.each(older)("a session of format %i", (format) => {
  const options = (files: ReturnType<typeof left>["files"]) =>
    ({ files, clock: handClock(), mask: maskOf([]), durability: "process", gen: 2 }) as const;

  it("is proved as it stands, and folded from its beginning (F70)", async () => {
    const { files } = left(format);
    const log = proved(files);
    expect(log.manifest.format).toBe(format);
    expect((await lastCheckpoint(log, files)).seq).toBe(0);
    expect(await stateOf(log, files)).toEqual(foldFrom(initialState, recordsOf(log)));
    expect(await stateOf(log, files)).toMatchObject({ turn: { number: 5, phase: "calling" }, truncated: 0 });
  });

  it("tells the model the messages that the older version would have told it (F70)", async () => {
    const { files, messages } = left(format);
    const story = await openStory(await openJournal(proved(files), options(files)));
    expect(messagesOf(story.context)).toEqual(messages);
  });

  it("is continued in this format, behind lines that stay as they were (F70)", async () => {
    const { files } = left(format);
    const before = Buffer.from(files.state.log);
    const story = await openStory(await openJournal(proved(files), options(files)));
    await story.append({
      type: "run.claimed",
      gen: 2,
      run: { id: "2", attempt: 1, job: "agent" },
      head: null,
    });
    await story.endTurn({ turn: 5, next: "calls", ms: 1 });
    expect(Buffer.compare(files.state.log.subarray(0, before.length), before)).toBe(0);
    const log = proved(files);
    expect(log.manifest.format).toBe(formatVersion);
    expect(await lastCheckpoint(log, files)).toMatchObject({ seq: log.tail.seq, state: story.state });
    expect(eventsOf(log).at(-2)?.type).toBe("run.claimed");
  });
});
