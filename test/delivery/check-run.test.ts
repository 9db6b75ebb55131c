import { describe, expect, it } from "vitest";
import { type MemoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import { memoryPatches } from "../../src/adapters/memory/patches.ts";
import { type CheckRunFacts, makeCheckRun } from "../../src/delivery/check-run.ts";
import { type Host, HostForbidden, HostUnavailable } from "../../src/delivery/host.ts";
import { probeEffect } from "../../src/delivery/probe.ts";
import { sealKeyOf } from "../../src/session/shipment.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { base, given, lost, session } from "./given-delivery.ts";
import { row } from "./given-evidence.ts";

const facts: CheckRunFacts = {
  session,
  head: base,
  evidence: [row],
  flagged: [],
  annotations: [],
  runUrl: "https://github.example/o/r/actions/runs/5",
};
const key = `${session}/check-run`;

/** The memory host, with other check runs. */
function hostWith(
  github: MemoryGitHub,
  over: (runs: NonNullable<Host["checkRun"]>) => Partial<Host["checkRun"]>,
) {
  const host = memoryHost(github);
  if (host.checkRun === null) throw new Error("the memory host has check runs");
  return { ...host, checkRun: { ...host.checkRun, ...over(host.checkRun) } };
}

const noPatches = memoryPatches({ run: "101", patches: { stored: [] } });

const probe = (host: Host) =>
  probeEffect(
    { session, key, detail: JSON.stringify({ head: base }) },
    { host, patches: noPatches, runs: [], key: sealKeyOf("a key that is long enough", 1), thread: null },
  );

describe("the check run on the pushed commit", () => {
  it("carries the evidence, and is made once, however often it is asked for", async () => {
    const { github, order, tools } = given();
    const first = await makeCheckRun(facts, tools());
    expect(await makeCheckRun(facts, tools())).toEqual(first);
    expect(order.slice(0, 3)).toEqual(["effect.intended check-run", "shipped", "effect.settled check-run"]);
    expect(github.checkRuns).toMatchObject([
      { head: base, name: "Baton", externalId: key, conclusion: "success", detailsUrl: facts.runUrl },
    ]);
    expect(github.checkRuns[0]?.title).toBe("1 of 1 check green on exactly this tree");
    expect(github.checkRuns[0]?.summary).toContain("| red | green |");
  });

  it("is found again when the answer to making it was lost", async () => {
    const { github, events, tools } = given();
    const host = hostWith(github, ({ create }) => ({
      create: async (run) => {
        await create(run);
        return lost;
      },
    }));
    expect(await makeCheckRun(facts, tools(host))).toMatchObject({ kind: "done" });
    expect(github.checkRuns).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "effect.settled", key, status: "done" });
  });

  it("is found by a later run, from its intent alone", async () => {
    const { github, tools } = given();
    expect(await probe(memoryHost(github))).toMatchObject({ status: "absent" });
    await makeCheckRun(facts, tools());
    expect(await probe(memoryHost(github))).toMatchObject({
      status: "done",
      detail: String(github.checkRuns[0]?.id),
    });
  });

  it("is settled as refused where the token may make none, or look up none", async () => {
    const may = given({ mayMakeCheckRuns: false });
    const forbidden = { kind: "refused", code: "forbidden", why: expect.stringContaining("checks: write") };
    expect(await makeCheckRun(facts, may.tools())).toMatchObject(forbidden);
    expect(may.events.at(-1)).toMatchObject({ key, status: "refused" });
    const look = given();
    const host = hostWith(look.github, () => ({
      find: async () => {
        throw new HostForbidden("cannot look up (needs `checks: write`)");
      },
    }));
    expect(await makeCheckRun(facts, look.tools(host))).toMatchObject(forbidden);
    expect(look.events.at(-1)).toMatchObject({ key, status: "refused" });
    expect(await probe(host)).toMatchObject({ status: "absent" });
  });

  it("stays in doubt while GitHub cannot be asked", async () => {
    const { github, events, tools } = given();
    const host = hostWith(github, () => ({
      find: async () => {
        throw new HostUnavailable("no answer");
      },
    }));
    expect(await makeCheckRun(facts, tools(host))).toMatchObject({ code: "unavailable" });
    expect(events.at(-1)).toMatchObject({ type: "effect.intended" });
    expect(await probe(host)).toMatchObject({ status: "unknown" });
  });

  it("is not made by a run that another one has replaced", async () => {
    const { github, tools } = given();
    expect(await makeCheckRun(facts, tools(undefined, "another run has it"))).toMatchObject({
      code: "fenced",
    });
    expect(github.checkRuns).toEqual([]);
  });

  it("is neutral with marks at the failing lines where a check stays red", async () => {
    const { github, tools } = given();
    const level = "failure";
    const annotations = Array.from({ length: 60 }, (_, i) => {
      return {
        level,
        path: "a.ts",
        line: i + 1,
        title: "test",
        message: `at ${drawn("ghp_", 36)}\n\u202eend`,
      } as const;
    });
    await makeCheckRun({ ...facts, evidence: [{ ...row, onTree: "red" }, row], annotations }, tools());
    const [run] = github.checkRuns;
    expect(run).toMatchObject({ conclusion: "neutral", title: "1 of 2 checks green on exactly this tree" });
    expect(run?.summary).toContain("What is not green was not green on the base commit either.");
    expect(run?.annotations).toHaveLength(50);
    expect(run?.annotations[0]?.message).toBe("at (taken out: a GitHub token) end");
    expect(run?.summary).toContain("Only the first 50 places are marked in the files.");
  });

  it("is no success where there are fewer tests, or no proof", async () => {
    const counts = { passed: 1, failed: 0, skipped: 0, total: 1, unit: "tests", isPartial: false } as const;
    const fewer = { ...row, countsOnBase: { ...counts, passed: 2, total: 2 }, countsOnTree: counts };
    const unproved = { ...row, proof: { kind: "not-proved", why: "it passes" } } as const;
    for (const [evidence, said] of [
      [fewer, "fewer tests than on base"],
      [unproved, "no proof"],
    ] as const) {
      const { github, tools } = given();
      await makeCheckRun({ ...facts, evidence: [evidence] }, tools());
      const title = `1 of 1 check green on exactly this tree, ${said}`;
      expect(github.checkRuns).toMatchObject([{ conclusion: "neutral", title }]);
    }
  });

  it("lists what was flagged, and marks it only where its path can be told as it is", async () => {
    const { github, tools } = given();
    const said = { level: "warning", line: 2, title: "Look", message: "@octo #1" } as const;
    const paths = ["a b/\u00e4.ts", "a\u202e.ts", "a\n.ts", `${"a".repeat(1001)}.ts`];
    const flagged = [{ path: "a|b.ts", why: "it is ![protected](https://x.example/i.png)" }];
    await makeCheckRun({ ...facts, flagged, annotations: paths.map((path) => ({ ...said, path })) }, tools());
    const [run] = github.checkRuns;
    const title = "1 of 1 check green on exactly this tree, 1 file to look at closely";
    expect(run).toMatchObject({ conclusion: "neutral", title });
    expect(run?.annotations).toEqual([{ ...said, path: "a b/\u00e4.ts" }]);
    expect(run?.annotations).toHaveLength(1);
    expect(run?.summary).toContain("### Look at these closely\n\n- <code>a&#124;b.ts</code>: it is ");
    expect(run?.summary).not.toMatch(/!\[|:\/\/|Only the first/);
  });

  it("is nothing to a host that has none", async () => {
    const { github, events, tools } = given();
    expect(await makeCheckRun(facts, tools({ ...memoryHost(github), checkRun: null }))).toBeNull();
    expect(events).toEqual([]);
  });
});
