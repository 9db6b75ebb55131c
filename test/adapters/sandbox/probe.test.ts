import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { probeSandbox } from "../../../src/adapters/sandbox/probe.ts";
import { startSandbox } from "../../../src/adapters/sandbox/start.ts";
import { type Bench, bestKind, command, makeBench, openAt } from "./bench.ts";

const kind = await bestKind();
const probeOf = (bench: Bench) => ({
  key: randomBytes(16).toString("hex"),
  plantIn: [bench.masked, bench.dir],
  signal: new AbortController().signal,
});

describe.skipIf(kind === null)("the probe", () => {
  it("finds a sandbox sound that is, and leaves nothing that it planted", async () => {
    using bench = makeBench(kind ?? "root");
    await using sandbox = await openAt(bench, { tools: true });
    expect(await probeSandbox(sandbox, probeOf(bench))).toEqual({ kind: "sound", notes: [] });
    expect(readdirSync(bench.masked)).toEqual([]);
    expect(readdirSync(bench.dir).filter((name) => name.startsWith("probe-"))).toEqual([]);
  });

  it("finds one unsound that shares the network, and says so", async () => {
    using bench = makeBench(kind ?? "root");
    await using sandbox = await openAt(bench, { tools: true, network: "host" });
    const found = await probeSandbox(sandbox, probeOf(bench));
    expect(found).toMatchObject({
      kind: "unsound",
      why: expect.stringContaining("127.0.0.1 can be reached"),
    });
    expect(found).toMatchObject({ why: expect.stringContaining("abstract socket") });
    expect(found).not.toMatchObject({ why: expect.stringContaining("file") });
  });

  it("finds one unsound that shows a masked directory, and names the file", async () => {
    using bench = makeBench(kind ?? "root", { masked: [] });
    const { ground } = bench;
    const open: Bench = { ...bench, ground: { ...ground, visible: [bench.masked] } };
    await using sandbox = await openAt(open, { tools: true });
    const found = await probeSandbox(sandbox, probeOf(bench));
    expect(found).toMatchObject({ kind: "unsound", why: expect.stringContaining(`${bench.masked}/probe-`) });
  });

  it("starts a sandbox that is proven", async () => {
    using bench = makeBench(kind ?? "root");
    const { kind: _, ...ground } = bench.ground;
    const { workspace, home, scratch } = bench;
    const started = await startSandbox({ ...ground, workspace, home, scratch }, probeOf(bench));
    if (started.kind !== "sound") throw new Error(started.why);
    await using sandbox = started.sandbox;
    expect((await command(sandbox, "echo proven")).output).toBe("proven\n");
  });

  it("starts nothing where no sandbox can be made, says why and leaves nothing behind", async () => {
    using bench = makeBench(kind ?? "root", { node: "/no/such/node" });
    const { kind: _, ...ground } = bench.ground;
    const { workspace, home, scratch } = bench;
    const started = await startSandbox({ ...ground, workspace, home, scratch }, probeOf(bench));
    expect(started).toMatchObject({ kind: "unsound", why: expect.stringContaining("/no/such/node") });
    expect(readdirSync(scratch)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("the probe without a sandbox", () => {
  it("finds everything within reach", async () => {
    using bench = makeBench("off");
    await using sandbox = await openAt(bench, { tools: true });
    const found = await probeSandbox(sandbox, probeOf(bench));
    expect(found.kind).toBe("unsound");
    const why = found.kind === "unsound" ? found.why : "";
    const parts = [
      "process outside",
      `${bench.masked}/probe-`,
      "can be made in",
      "127.0.0.1",
      "abstract",
      "reports",
    ];
    for (const part of parts) expect(why).toContain(part);
  });
});
