import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { blocksOf, type WireRequest } from "../kit/model/wire.ts";
import { sessionOf } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { orEnd } from "./given-journal.ts";

// Without the sandbox every command is an external call, and a death in the middle of one needs a person to decide.
const sandboxed = describe.skipIf(!canSandbox);

// What the provider counts is believed, so a window is full when it says so.
const usage = { input_tokens: 151_000 };

sandboxed("a session whose window is full", { timeout: 120_000 }, () => {
  it("is killed while its summary is written, summarised by the next run, and ends with all of its work", async () => {
    await using world = await givenWorld({ inputs: { "ship-seconds": "0" } });
    const reached = Promise.withResolvers<void>();
    const hold = { at: 3, until: new Promise(() => undefined), onReached: reached.resolve };
    world.model.script.push(
      use("read", { path: "sum.mjs" }),
      use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" }),
      use("shell", { command: "node sum.test.mjs" }, { thinking: "Is it right now?", usage }),
      say("A summary that nobody ever gets.", { hold }),
      say("sum.mjs subtracted; it adds now."),
      say("Add in sum\n\nIt subtracted."),
    );
    const asked = world.asked();
    const job = await world.job(asked);
    await orEnd(job, reached.promise);
    job.kill("SIGKILL");
    await job.done;
    world.github.completeRun(job.runId, "failure");

    const resumed = await world.finish(world.dispatch({ session: sessionOf(world, asked) }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    expect(world.model.requests.map(({ refused }) => refused).filter((refused) => refused)).toEqual([]);
    const [, , , lost, summary, last] = world.model.requests.map(({ body }) => body);
    for (const body of [lost, summary]) expect(body?.tools).toBeUndefined();
    expect(told(summary)).toContain("export const sum = (a, b) => a - b;");
    expect(last?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const [first, reply, since] = (last?.messages ?? []).map((message) => JSON.stringify(message));
    expect(first).toContain("sum.mjs subtracted; it adds now.");
    expect(first).toContain("- sum.mjs (modified)");
    expect(first).toContain("The task, as you were told it");
    expect(reply).toContain("Is it right now?");
    expect(since).toContain("The work goes on in a new run");
    world.model.assertDone();
  });
});

function told(body: WireRequest | undefined): string {
  return blocksOf(body?.messages[0]?.content)
    .map(({ text }) => text)
    .join("\n");
}
