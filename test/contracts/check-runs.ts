import { expect, it } from "vitest";
import type { Sha } from "../../src/base/hash.ts";
import type { Host } from "../../src/delivery/host.ts";

type CheckRunWorld = AsyncDisposable & {
  readonly host: Host;
  /** A commit of the repository. */
  readonly head: Sha;
};

/** What every host with check runs has to do with them. */
export function checkRunContract(make: () => Promise<CheckRunWorld>): void {
  it("finds by its id the check run that it made on a commit, and no other", async () => {
    await using world = await make();
    const { head } = world;
    const { checkRun } = world.host;
    if (checkRun === null) throw new Error("the host has no check runs");
    const ref = { head, name: "Baton", externalId: "s1/check-run" };
    expect(await checkRun.find(ref)).toBeNull();
    const text = {
      title: "One check green",
      summary: "| check |\n|---|\n",
      detailsUrl: "https://h.example/1",
    };
    const annotations = [
      { level: "failure", path: "a.txt", line: 3, title: "test", message: "it failed here" } as const,
    ];
    const made = await checkRun.create({ ...ref, ...text, conclusion: "neutral", annotations });
    if (made.kind !== "made") throw new Error(made.why);
    const other = { ...ref, externalId: "s2/check-run" };
    await checkRun.create({ ...other, ...text, conclusion: "success", detailsUrl: null, annotations: [] });
    expect(await checkRun.find(ref)).toEqual({ id: made.id, url: made.url });
    expect(await checkRun.find({ ...ref, name: "Other" })).toBeNull();
    expect(await checkRun.find({ ...ref, externalId: "s3/check-run" })).toBeNull();
  });
}
