import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import type { Checks } from "../../src/gate/checks.ts";
import { fewerTests } from "../../src/gate/evidence.ts";
import { judge, passedBefore } from "../../src/gate/gate.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { base, change, check, gate, load, type Outcome, treeOf } from "./given-gate.ts";

describe("the counts of a check's runner", () => {
  const shownFor = async (results: Parameters<typeof gate>[0]) => {
    const { asked, events, checks } = gate(results);
    const verdict = await judge(asked);
    const about = { checks, baseTree: base, tree: change, testsTree: null };
    const again = await passedBefore(events, about, load);
    if (verdict.kind !== "passed" || again === null) throw new Error("the gate was to pass");
    expect(again.evidence).toEqual(verdict.evidence);
    return fewerTests(verdict.evidence);
  };

  it.each<[Outcome, Outcome, string | null]>([
    ["five", "five", null],
    ["failing", "five", null],
    ["three", "five", null],
    ["green", "five", null],
    ["green", "green", null],
    ["none", "five", null],
    ["five", "three", "its runner reported 5 tests on base and 3 on this tree"],
    ["five", "green", "its runner reported 5 tests on base and says nothing of tests on this tree"],
    [
      "five",
      "flooded",
      "its runner reported 5 tests on base, and on this tree its output is too long to count them",
    ],
  ])("compares %s on base with %s, also in a later run", async (onBase, onTree, why) => {
    expect(await shownFor({ test: [onBase, onTree] })).toEqual(why === null ? [] : [{ check: "test", why }]);
  });
});

describe("passedBefore", () => {
  async function passed() {
    const { asked, events, checks } = gate({ test: ["red", "green"] });
    await judge(asked);
    return { events, about: { checks, baseTree: base, tree: change, testsTree: null } };
  }

  it("gives the proof back with its evidence", async () => {
    const { events, about } = await passed();
    expect(await passedBefore(events, about, load)).toMatchObject({
      passed: { tree: change, round: 1 },
      evidence: [{ check: "test", onBase: "red", onTree: "green" }],
    });
  });

  it("is null for another tree, other definitions, or when the gate failed since", async () => {
    const { events, about } = await passed();
    const checks = [{ ...check("test"), run: "true" }];
    expect(await passedBefore(events, { ...about, tree: treeOf("c") }, load)).toBeNull();
    expect(await passedBefore(events, { ...about, checks }, load)).toBeNull();
    const findings = { type: "inline", text: digestOf("") } as const;
    const since: SessionEvent = { type: "gate.failed", round: 2, tree: change, findings };
    expect(await passedBefore([...events, since], about, load)).toBeNull();
    expect(await passedBefore([], about, load)).toBeNull();
  });

  it("is null where it was found after another setup of the change, or after none", async () => {
    const { asked, events, checks } = gate({ test: ["red", "green"] });
    const ports: string[] = [];
    const noted = (name: string): Checks => ({
      checkout: (tree, options) => {
        ports.push(`${name} ${tree.charAt(0)}`);
        return asked.port.checkout(tree, options);
      },
    });
    await judge({ ...asked, port: noted("own"), changed: { setup: "setup_1", port: noted("changed") } });
    // The base keeps its own setup.
    expect(ports).toEqual(["own a", "changed b"]);
    const about = { checks, baseTree: base, tree: change, testsTree: null };
    expect(await passedBefore(events, { ...about, setup: "setup_1" }, load)).toMatchObject({
      kind: "passed",
    });
    expect(await passedBefore(events, { ...about, setup: "setup_2" }, load)).toBeNull();
    expect(await passedBefore(events, about, load)).toBeNull();
    const without = await passed();
    expect(await passedBefore(without.events, { ...without.about, setup: "setup_1" }, load)).toBeNull();
  });

  it("is null where the log holds only a part of its evidence", async () => {
    const { events, about } = await passed();
    const without = (on: string) =>
      events.filter((event) => event.type !== "check.settled" || event.on !== on);
    expect(await passedBefore(without("base"), about, load)).toBeNull();
    expect(await passedBefore(without("change"), about, load)).toBeNull();
  });
});
