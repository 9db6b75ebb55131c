import { spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildIn, differences, filesOf } from "../.github/scripts/build-elsewhere.ts";
import { newFolder } from "./kit/folder.ts";

describe("dist", () => {
  it("is what the sources build to, in another folder too, byte for byte", async () => {
    const folder = newFolder("dist");
    try {
      const built = await buildIn(join(folder, "some other", "folder"));
      expect(differences(await filesOf("dist"), await filesOf(built))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("holds one folder for each entry, with the licenses of what is bundled", async () => {
    const files = [...(await filesOf("dist")).keys()];
    for (const entry of ["main", "post", "cli", "toolhost"])
      expect(files).toEqual(
        expect.arrayContaining([`${entry}/index.js`, `${entry}/package.json`, `${entry}/licenses.txt`]),
      );
    expect(files.filter((path) => path.endsWith(".map"))).toEqual([]);
  });

  it("holds the license of every package that the action is made of", async () => {
    const { dependencies } = JSON.parse(await readFile("package.json", "utf8")) as { dependencies: object };
    const named = (await readFile("dist/main/licenses.txt", "utf8")).split("\n");
    expect(Object.keys(dependencies).filter((name) => !named.includes(name))).toEqual([]);
  });

  it("loads the artifact client only when it is needed", async () => {
    const files = await filesOf("dist");
    const holding = [...files]
      .filter(([, bytes]) => bytes.includes("github.actions.results.api.v1"))
      .map(([path]) => path);
    expect(holding.length).toBeGreaterThan(0);
    expect(holding.filter((path) => path.endsWith("/index.js"))).toEqual([]);
  });

  it.each(["main", "post", "cli", "toolhost"])("starts %s on a machine that has nothing else", (entry) => {
    // Without the runner's variables each entry ends by itself and says something; none fails to load.
    const { status, stdout, stderr } = spawnSync(process.execPath, [`dist/${entry}/index.js`], {
      env: {},
      encoding: "utf8",
      input: "",
    });
    expect(`${stdout}${stderr}`).not.toMatch(/Cannot find (module|package)|SyntaxError|ReferenceError/);
    expect(status).not.toBeNull();
  });

  it("tells a changed, a missing and an added file", () => {
    const some = new Map([
      ["same", Buffer.from("1")],
      ["changed", Buffer.from("1")],
      ["gone", Buffer.from("1")],
    ]);
    const others = new Map([
      ["same", Buffer.from("1")],
      ["changed", Buffer.from("2")],
      ["added", Buffer.from("1")],
    ]);
    expect(differences(some, others)).toEqual(["added", "changed", "gone"]);
  });
});
