import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { NotRestored, type Workspace } from "../../src/workspace/workspace.ts";
import { endOf, live } from "../kit/story/play.ts";
import { givenStage } from "../kit/story/stage.ts";
import { approve, given, writing } from "./given-waiting.ts";

const diesAfterTurn = { at: "files.append", event: "turn.ended", nth: 2, when: "after" } as const;

const withWorkspace =
  (change: (workspace: Workspace) => Workspace) =>
  (means: Means): Partial<Means> => ({
    ground: async (session) => {
      const taken = await means.ground(session);
      if (taken.kind === "refused") return taken;
      const pin: typeof taken.ground.pin = async (...given) => {
        const pinned = await taken.ground.pin(...given);
        return pinned.kind === "refused" ? pinned : { kind: "pinned", workspace: change(pinned.workspace) };
      };
      return { ...taken, ground: { ...taken.ground, pin } };
    },
  });

const unrestorable = (dir: string) =>
  withWorkspace((workspace) => ({
    ...workspace,
    restore: async (at, tree) => {
      if (at === dir) throw new NotRestored(`${at} holds another tree`);
      await workspace.restore(at, tree);
    },
  }));

const noSandbox = ({ rooms }: Means): Partial<Means> => ({
  rooms: { ...rooms, impossible: async () => "user namespaces are off" },
});

describe("a session that is resumed where it cannot work", () => {
  it.each([
    ["workspace", "the base cannot be restored", unrestorable("/base")],
    ["workspace", "its files cannot be restored", unrestorable("/work")],
    ["sandbox", "no sandbox can be made", noSandbox],
  ])("is suspended as %s, because %s, and goes on elsewhere (F71)", async (reason, _title, over) => {
    const stage = givenStage();
    await live(stage, { death: diesAfterTurn });
    const here = await live(stage, { asks: "resume", over });
    expect(endOf(here)).toBe(`suspended/${reason}`);
    expect(here.requests).toEqual([]);
    expect(here.ran.filter((one) => one !== "setup")).toEqual([]);
    expect(here.end).toMatchObject({ resumable: true });
    const elsewhere = await live(stage, { asks: "resume" });
    expect(endOf(elsewhere)).toBe("pull-request/opened");
  });

  it("is refused, and is no session to go on with, where it had done nothing yet", async () => {
    const stage = givenStage();
    const refused = await live(stage, { over: noSandbox });
    expect(endOf(refused)).toBe("refused/sandbox");
    expect(stage.leases.leases).toEqual([]);
  });
});

describe("a session whose branch stands already", () => {
  const diesBeforePull = { at: "host.pullRequest.open", when: "before" } as const;

  it.each([
    [
      "was moved by somebody",
      (branches: Map<string, string>, name: string) => branches.set(name, "1".repeat(40)),
    ],
    ["was removed by somebody", (branches: Map<string, string>, name: string) => branches.delete(name)],
  ])("is refused as moved when it %s, and leaves it so", async (_title, touch) => {
    const stage = givenStage();
    await live(stage, { death: diesBeforePull });
    const name = [...stage.github.branches.keys()].find((one) => one !== "main") ?? "";
    touch(stage.github.branches, name);
    const before = structuredClone([[...stage.github.branches], stage.leases.leases]);
    const refused = await live(stage, { asks: "resume" });
    expect(endOf(refused)).toBe("refused/moved");
    expect(refused.end).toMatchObject({ detail: expect.stringContaining(name) });
    expect([[...stage.github.branches], stage.leases.leases]).toEqual(before);
    expect(stage.github.pulls).toEqual([]);
  });
});

describe("a session whose last turn has begun", () => {
  const last = { orders: { budget: { turns: 1 } } };

  it("is resumed to end it, when the run died or waited in the middle", async () => {
    const stage = givenStage();
    const died = { at: "files.append", event: "calls.intended", when: "after" } as const;
    await live(stage, { death: died, ...last });
    expect(endOf(await live(stage, { asks: "resume", ...last }))).toBe("suspended/turns");
    expect(endOf(await live(stage, { asks: "resume", ...last }))).toBe("refused/exhausted");
    const waiting = await given(writing, approve);
    expect(endOf(await waiting.next(last))).toBe("needs-input/approval");
    expect(endOf(await waiting.next({ says: "@baton approve call_1_1", ...last }))).toBe(
      "needs-input/approval",
    );
    const done = await waiting.next({ says: "@baton approve", ...last });
    expect(endOf(done)).toBe("suspended/turns");
    expect(done.ran).toContain("write call_1_2");
  });
});
