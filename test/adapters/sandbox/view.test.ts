import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ViewOptions, viewOf } from "../../../src/adapters/sandbox/view.ts";
import { bestKind, command, makeBench, openAt } from "./bench.ts";

const kind = await bestKind();

function makePrograms(dir: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(dir, name, "bin"), { recursive: true });
    writeFileSync(
      join(dir, name, "bin", `run-${name.replace("/", "-")}`),
      `#!/bin/sh\ncat "${dir}/${name}/data"\n`,
      {
        mode: 0o755,
      },
    );
    writeFileSync(join(dir, name, "data"), `${name}\n`);
  }
}

describe.skipIf(kind === null)("what is seen of the host", () => {
  it("holds the programs of PATH with what stands beside them, but none of a masked place", async () => {
    using plain = makeBench(kind ?? "root");
    makePrograms(plain.dir, ["tools", "unnamed", "masked", "masked/cache"]);
    symlinkSync(join(plain.dir, "tools"), join(plain.dir, "current"));
    const path = [join(plain.dir, "current/bin"), join(plain.masked, "bin"), process.env["PATH"]].join(":");
    const bench = { ...plain, ground: { ...plain.ground, path, visible: [join(plain.masked, "cache")] } };
    await using sandbox = await openAt(bench);
    expect(await command(sandbox, "run-tools")).toMatchObject({ exitCode: 0, output: "tools\n" });
    expect((await command(sandbox, "run-masked")).exitCode).toBe(127);
    expect((await command(sandbox, `cat ${plain.dir}/unnamed/data ${plain.masked}/data`)).exitCode).toBe(1);
    const cached = await command(sandbox, `cat ${plain.masked}/cache/data`);
    expect(cached).toMatchObject({ exitCode: 0, output: "masked/cache\n" });
  });

  it("never holds what holds a masked place, nor the host's own /tmp, /run, /var and homes", () => {
    using bench = makeBench(kind ?? "root");
    makePrograms(bench.dir, ["masked"]);
    const options = (more: Partial<ViewOptions>) => ({
      path: "",
      visible: [],
      masked: [],
      named: [],
      ...more,
    });
    const seen = (more: Partial<ViewOptions>) => {
      const { binds, uncovered } = viewOf(options(more));
      return [...binds, ...uncovered]
        .map((bind) => bind.from)
        .filter((from) => !/^\/(usr|etc|opt|nix|s?bin|lib\w*)$/.test(from));
    };
    expect(seen({ path: bench.dir, masked: [bench.masked] })).toEqual([]);
    expect(seen({ visible: [bench.dir], masked: [bench.masked] })).toEqual([]);
    expect(seen({ named: [bench.masked], masked: [bench.masked] })).toEqual([]);
    expect(seen({ path: "/tmp:/run:/var:/root:/home:/:bin:." })).toEqual([]);
    expect(seen({ named: [bench.home, "a value", "/no/such/dir"] })).toEqual([bench.home]);
  });

  it("is covered where a masked place lies in it", () => {
    const { covered } = viewOf({ path: "", visible: [], masked: ["/usr/share"], named: [] });
    expect(covered).toEqual(["/usr/share"]);
  });
});
