import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Case } from "../kit/delivery/cases.ts";
import { type Ground, openGround } from "../kit/delivery/scene.ts";
import { allCases, playCase, sampleOf } from "../kit/delivery/sweep.ts";

/** A few of what `npm run sweep:delivery` plays. */
describe("a delivery that GitHub fails", () => {
  let ground: Ground;
  let cases: readonly Case[] = [];
  beforeAll(async () => {
    ground = await openGround();
    cases = await allCases(ground, ["issue", "pull", "help"]);
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  it.each([
    ["applied, then cut", "after an answer that was lost (F29, F31)"],
    ["applied, then 502", "after an answer of a server that broke (F28)"],
    ["200 page", "after an answer that is no JSON (F39)"],
    ["403 secondary", "after a limit (F26)"],
    ["limit used up", "once the hour's limit begins anew (F27)"],
    ["token dies", "with another token (F36)"],
    ["409 rule", "once a rule lets it (F34)"],
  ])("%s: leaves one of everything, and says what is so, %s", async (fault) => {
    const some = sampleOf(
      cases.filter((one) => one.fault.name === fault),
      2,
    );
    for (const one of some) expect(await playCase(ground, one)).toMatchObject({ name: one.name, wrong: [] });
    expect(some).toHaveLength(2);
  });

  it("leaves one patch for a fork where the service's answer was lost, or the process died of it", async () => {
    const ofFork = await allCases(ground, ["fork"]);
    const some = ofFork.filter(({ name }) => /FinalizeArtifact #1: applied, then cut/.test(name));
    for (const one of some) expect(await playCase(ground, one)).toMatchObject({ name: one.name, wrong: [] });
    expect(some).toHaveLength(2);
  });
});
