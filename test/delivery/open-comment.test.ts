import { describe, expect, it } from "vitest";
import { memoryHost } from "../../src/adapters/memory/host.ts";
import type { Host } from "../../src/delivery/host.ts";
import { openComment } from "../../src/delivery/open-comment.ts";
import { given, losing, lost, session } from "./given-delivery.ts";

describe("the session's comment", () => {
  const comment = { session, thread: 7, body: "one <!-- m -->", marker: "<!-- m -->" };

  it("is made once, found again, and brought up to date", async () => {
    const { github, tools } = given();
    const made = await openComment(comment, tools());
    const again = await openComment({ ...comment, body: "two <!-- m -->" }, tools());
    expect(made.kind === "done" && again.kind === "done" && again.value).toEqual(
      made.kind === "done" && made.value,
    );
    expect(github.comments.map(({ body }) => body)).toEqual(["two <!-- m -->"]);
  });

  it("is found when the answer to making it was lost", async () => {
    const { github, tools } = given();
    expect(await openComment(comment, tools(losing(memoryHost(github), "comment")))).toMatchObject({
      kind: "done",
    });
    expect(github.comments).toHaveLength(1);
  });

  it.each([0, 1, 3, 10])(
    "is never made twice where GitHub lost its answer and shows it after %i seconds (F35)",
    async (seconds) => {
      const { github, tools } = given();
      const asked = tools(losing(memoryHost(github), "comment"));
      const { clock, host } = asked;
      let madeAt = Number.POSITIVE_INFINITY;
      const late: Host["comment"] = {
        ...host.comment,
        create: async (...args) => {
          madeAt = clock.elapsed();
          return host.comment.create(...args);
        },
        find: async (...args) =>
          clock.elapsed() - madeAt < seconds * 1000 ? [] : host.comment.find(...args),
      };
      const made = await openComment(comment, { ...asked, host: { ...host, comment: late } });
      expect(made).toMatchObject({ kind: "done" });
      expect(github.comments).toHaveLength(1);
      expect(clock.elapsed()).toBeGreaterThanOrEqual(seconds * 1000);
    },
  );

  it("is made again where it is not there long after the answer was lost, and not a third time", async () => {
    const { github, order, events, tools } = given();
    const never = { ...memoryHost(github).comment, create: async () => lost };
    const made = await openComment(comment, tools({ ...memoryHost(github), comment: never }));
    expect(made).toEqual(lost);
    expect(order.filter((one) => one === "create comment")).toHaveLength(2);
    expect(events.map(({ type }) => type)).toEqual(["effect.intended"]);
    let times = 0;
    const once: Host["comment"] = {
      ...never,
      create: async (...args) => {
        times += 1;
        return times === 1 ? lost : memoryHost(github).comment.create(...args);
      },
    };
    const again = await openComment(comment, tools({ ...memoryHost(github), comment: once }));
    expect([again.kind, github.comments.length]).toEqual(["done", 1]);
  });

  it("is neither looked for nor made again where GitHub said that it did nothing", async () => {
    const { github, tools, order } = given();
    const create = async () => ({ ...lost, unmade: true }) as const;
    const asked = tools({ ...memoryHost(github), comment: { ...memoryHost(github).comment, create } });
    expect(await openComment(comment, asked)).toMatchObject({ code: "unavailable" });
    expect(order.filter((one) => one === "create comment")).toHaveLength(1);
    expect(asked.clock.elapsed()).toBe(0);
  });

  it("is not made again by a run that another one has replaced meanwhile", async () => {
    const { github, tools, order } = given();
    const never = { ...memoryHost(github).comment, create: async () => lost };
    const asked = tools({ ...memoryHost(github), comment: never });
    const fenced = async () => (asked.clock.elapsed() > 0 ? "run 9 goes on with it" : null);
    expect(await openComment(comment, { ...asked, fenced })).toMatchObject({ code: "fenced" });
    expect(order.filter((one) => one === "create comment")).toHaveLength(1);
  });

  it("is not made by a run that another one has replaced, and is still its own to find", async () => {
    const { github, tools, events } = given();
    const replaced = tools(memoryHost(github), "run 9 goes on with it");
    expect(await openComment(comment, replaced)).toMatchObject({ kind: "refused", code: "fenced" });
    expect(github.comments).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(["effect.intended"]);
    await openComment(comment, tools());
    expect(await openComment(comment, replaced)).toMatchObject({ kind: "done" });
  });

  it("is refused on a locked thread (F37)", async () => {
    const { github, tools } = given();
    const thread = github.threads.get(7);
    if (thread) github.threads.set(7, { ...thread, locked: true });
    expect(await openComment(comment, tools())).toMatchObject({ kind: "refused", code: "locked" });
  });
});
