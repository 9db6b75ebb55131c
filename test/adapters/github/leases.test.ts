import { describe, expect, it } from "vitest";
import { leaseText, parseLease } from "../../../src/adapters/github/lease-text.ts";
import { githubLeases } from "../../../src/adapters/github/leases.ts";
import { HostForbidden } from "../../../src/delivery/host.ts";
import { sessionId } from "../../kit/given.ts";
import { githubWorld } from "./world.ts";

const { signal } = new AbortController();
const session = sessionId();
const run = { id: "5", attempt: 1, job: "agent" };
const lease = { session, gen: 1, run, head: null };

describe("refs as leases", () => {
  it("are forbidden without permission to write contents, without which nothing could be delivered", async () => {
    await using world = await githubWorld({ settings: { job: { contents: "read" } } });
    const claimed = githubLeases(world.place).claim(lease, { signal });
    await expect(claimed).rejects.toThrow(HostForbidden);
    await expect(claimed).rejects.toThrow("contents: write");
  });

  it("are unavailable where a rule of the repository refuses them", async () => {
    await using world = await githubWorld();
    const body = { message: "Repository rule violations found" };
    world.github.fail({ method: "POST", path: /\/git\/refs$/, status: 422, body });
    const claimed = await githubLeases(world.place).claim(lease, { signal });
    expect(claimed).toMatchObject({ kind: "unavailable", why: expect.stringContaining("rule violations") });
  });

  it("are claimed when the ref was made and only the answer was lost", async () => {
    await using world = await githubWorld();
    world.github.fail({ method: "POST", path: /\/git\/refs$/, network: "reset", after: true });
    expect(await githubLeases(world.place).claim(lease, { signal })).toEqual({ kind: "claimed" });
    expect(world.github.refs("refs/agent/")).toMatchObject([{ name: `refs/agent/${session}/1` }]);
  });

  it("are neither claimed nor lost when GitHub does not answer", async () => {
    await using world = await githubWorld();
    world.github.fail({ method: "POST", path: /\/git\/refs$/, network: "reset" });
    await expect(githubLeases(world.place).claim(lease, { signal })).rejects.toThrow("cannot claim");
    world.github.fail({ method: "POST", path: /\/git\/trees$/, times: 4, status: 500 });
    await expect(githubLeases(world.place).claim(lease, { signal })).rejects.toThrow("status 500");
  });

  it("are not taken from a ref that somebody made by hand", async () => {
    await using world = await githubWorld();
    world.github.git("update-ref", `refs/agent/${session}/1`, "main");
    await expect(githubLeases(world.place).holders(session, { signal })).rejects.toThrow("not a lease");
  });

  it("know a job by its name, with a matrix's values or a caller's name around it", async () => {
    await using world = await githubWorld();
    const { github, place } = world;
    const leases = githubLeases(place);
    const jobs = ["agent (12)", "call / review", "other"];
    const { id } = github.addRun({ event: "schedule", actor: "write", jobs });
    const of = (job: string) => leases.alive({ id: String(id), attempt: 1, job }, { signal });
    const alive = () => Promise.all(["agent", "review", "named otherwise"].map(of));
    expect(await alive()).toEqual(["running", "running", "running"]);
    github.completeRun(id, "cancelled");
    expect(await alive()).toEqual(["gone", "gone", "gone"]);
    const again = github.addRun({ id, attempt: 2, event: "schedule", actor: "write", jobs });
    expect(await of("agent")).toBe("gone");
    expect(await leases.alive({ id: String(id), attempt: again.attempt, job: "agent" }, { signal })).toBe(
      "running",
    );
  });

  it("cannot tell about a run that is not there or may not be read", async () => {
    await using world = await githubWorld();
    const leases = githubLeases(world.place);
    expect(await leases.alive(run, { signal })).toBe("unknown");
    expect(await leases.alive({ ...run, id: "../5" }, { signal })).toBe("unknown");
  });
});

describe("a lease's text", () => {
  it("is read back whole, and nothing else is", () => {
    const whole = { ...lease, head: { seq: 3, hash: "ab" } };
    expect(parseLease(leaseText(whole))).toEqual(whole);
    expect(parseLease(leaseText(lease))).toEqual(lease);
    const { v, head, ...rest } = JSON.parse(leaseText(lease)) as Record<string, unknown>;
    for (const wrong of [
      "",
      "initial commit",
      "[]",
      "null",
      JSON.stringify(rest),
      JSON.stringify({ v: 2, head, ...rest }),
      JSON.stringify({ v, ...rest }),
      JSON.stringify({ v, head, ...rest, gen: "1" }),
      JSON.stringify({ v, head, ...rest, run: { id: 5, attempt: 1, job: "a" } }),
      JSON.stringify({ v, head, ...rest, session: "x" }),
    ])
      expect(parseLease(wrong)).toBeNull();
  });
});
