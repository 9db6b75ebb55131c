import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { play } from "../kit/faults/play.ts";
import { type FaultServer, startFaultServer } from "../kit/faults/server.ts";
import { allCases, sampleOf } from "../kit/faults/sweep.ts";

/** Each is played at a few of its points here, and at all of them by `npm run sweep:faults`. */
const titles = [
  "waits as long as the provider asks for, and no longer than there is time (F1)",
  "does not ask again at a spend limit, and says when it ends (F2)",
  "tries again when the provider is down or busy, six times a turn, and says when to come back (F3)",
  "stops at once at an answer that would be the same again, and never repeats the key (F4)",
  "asks again with a shorter conversation when it was too large (F5)",
  "drops a reply that an error breaks off, wherever it does (F7)",
  "drops a reply whose connection is cut, at whatever byte (F8)",
  "drops a reply that just ends, at whatever byte (F9)",
  "gives up an answer that does not begin (F10)",
  "gives up a reply that stands still, whatever signs of life it gives (F11)",
  "runs nothing of a reply that was cut at the output limit (F13)",
  "runs nothing of a batch with one call that may not run (F14)",
  "nudges the model once after an empty reply (F16)",
  "sends a paused reply back unchanged, not for ever (F17)",
  "ends when the model refuses, and runs nothing of what it said before (F18)",
  "takes a reply that the window cut for a cut one, and asks with a shorter conversation (F19)",
  "passes over unknown events, and stops safely at unknown blocks, pieces and reasons (F20)",
  "takes an answer that is no stream for a failed request (F21)",
  "reads a stream alike, however its bytes are split and its lines are written (F22)",
  "drops a reply whose events are out of order, repeated or missing (F23)",
  "counts what the provider does not count, and ends the turn before it stops (F25)",
] as const;

describe("a run", () => {
  const rows = Map.groupBy(sampleOf([...allCases()], titles.length * 10), ({ row }) => row);
  let server: FaultServer;
  beforeAll(async () => {
    server = await startFaultServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(titles)("%s", async (title) => {
    const row = /\((F\d+)\)$/.exec(title)?.[1] ?? "";
    const cases = rows.get(row) ?? [];
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      const { wrong, toolsFromIncomplete, invalidRequests } = await play(one, server);
      expect({ wrong, toolsFromIncomplete, invalidRequests }, one.name).toEqual({
        wrong: [],
        toolsFromIncomplete: 0,
        invalidRequests: 0,
      });
    }
  });

  it("is played at every row of the faults", () => {
    expect(new Set(titles.map((title) => /\((F\d+)\)$/.exec(title)?.[1]))).toEqual(new Set(rows.keys()));
  });
});
