import { describe, expect, it } from "vitest";
import { type Reply, say, use } from "../kit/model/script.ts";
import type { WireRequest } from "../kit/model/wire.ts";
import { buildMutant, type Mutation } from "../kit/mutant.ts";
import { sessionOf, storedSession } from "../kit/stored.ts";
import { givenWorld } from "../kit/world.ts";

/** Tells by the conversation alone: how many requests the run that fails comes to make is chance. */
const tell = ({ messages }: WireRequest): Reply =>
  messages.some(({ role }) => role === "assistant")
    ? say("Add in sum")
    : use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" });

/** Work in the background fails where nobody waits for it, once the session works. */
const losesARejection: Mutation = {
  file: "app/open-work.js",
  find: "    board.sandbox(room.sandbox);\n",
  replace: `    board.sandbox(room.sandbox);
    if (process.env["BATON_TEST_UNWAITED"] === "1") void Promise.reject(new Error("nobody waits for this"));
`,
};

describe("a run whose background work fails where nobody waits for it", { timeout: 60_000 }, () => {
  it("ends as failed with its outputs and a summary, is stored by post, and goes on in another run", async () => {
    using mutant = await buildMutant([losesARejection]);
    await using world = await givenWorld({
      script: Array.from({ length: 9 }, () => tell),
      actionDir: mutant.actionDir,
    });
    const asked = world.asked();
    const result = await world.finish(asked, { env: { BATON_TEST_UNWAITED: "1" } });
    expect(result.outputs, result.log).toMatchObject({ outcome: "failed", reason: "internal" });
    expect(result.summary).toContain("nobody waits for this");
    expect({ code: result.code, postCode: result.postCode }).toEqual({ code: 1, postCode: 0 });
    expect(await storedSession(world, sessionOf(world, asked))).not.toBeNull();

    const resumed = await world.finish(world.dispatch({ session: sessionOf(world, asked) }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request", reason: "opened" });
  });
});
