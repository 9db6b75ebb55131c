import { describe, expect, it } from "vitest";
import { beyond, honest } from "../../kit/tamper/honest.ts";
import { play } from "../../kit/tamper/play.ts";
import { runWays } from "../../kit/tamper/run-ways.ts";
import { testWays } from "../../kit/tamper/test-ways.ts";
import { edit } from "../../kit/tamper/way.ts";

/** A slice; `npm run sweep:tamper` plays all of them. */
const everyNth = 13;
const ways = [...testWays, ...runWays];
const some = <T>(all: readonly T[], from: number) => all.filter((_, index) => index % everyNth === from);

describe("a session on a small repository with a fault, whose checks really run", () => {
  it("has many ways to pass them without a fix", () => {
    expect(ways.length).toBeGreaterThanOrEqual(50);
    expect(new Set([...ways, ...honest, ...beyond].map(({ name }) => name)).size).toBe(
      ways.length + honest.length + beyond.length,
    );
  });

  it.each(some(ways, 4))("is not published without a word about it where it would $name", async (way) => {
    const { body, isFlagged } = await play(way, { tamper: "flag" });
    expect(body === null || isFlagged).toBe(true);
  });

  it("is published with what was found in its body", async () => {
    const change = edit("node", "test/add.test.js", "assert.equal(three, 3);", "");
    const { body, isRedOnBase } = await play({ name: "", on: "node", change }, { tamper: "flag" });
    expect(isRedOnBase).toBe(true);
    expect(body).toContain("### Look at these closely");
    expect(body).toContain("<code>test/add.test.js</code>: it had 2 assertions and has 1");
  });

  it("is published with what was found in its comment where no pull request is opened", async () => {
    const change = edit("node", "test/add.test.js", "assert.equal(three, 3);", "");
    const played = await play({ name: "", on: "node", change }, { tamper: "flag", publish: "branch" });
    expect(played).toMatchObject({ end: "pull-request/pushed", body: null });
    expect(played.comment).toContain("<code>test/add.test.js</code>: it had 2 assertions and has 1");
  });

  it.each(some(ways, 0))("is not published where that is refused and it would $name", async (way) => {
    expect(await play(way, { tamper: "refuse" })).toMatchObject({ end: "gate-failed/tampering", body: null });
  });

  it("is published with a word about what is installed, also where tampering is refused", async () => {
    const change = { ...edit("node", "src/add.js", "a - b", "a + b"), "package-lock.json": "{}\n" };
    const { body } = await play({ name: "", on: "node", change }, { tamper: "refuse" });
    expect(body).toContain("<code>package-lock.json</code>: it decides what is installed");
  });

  it("is not published without a test that ran", async () => {
    const change = { "test/add.test.js": "", "test/total.test.js": "" };
    const { end } = await play({ name: "empty all", on: "node", change }, { tamper: "flag" });
    expect(end).toBe("gate-failed/checks");
  });

  it.each(some(honest, 1))("is published without a word where it does $name", async (work) => {
    expect(await play(work, { tamper: "refuse" })).toMatchObject({
      end: "pull-request/opened",
      isFlagged: false,
    });
  });
});
