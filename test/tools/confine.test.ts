import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { givenWorkspace } from "./given-workspace.ts";

const benches: Disposable[] = [];
afterAll(() => {
  for (const bench of benches) bench[Symbol.dispose]();
});

/** A workspace with a door to everywhere, and a secret beside it. */
function givenTraps() {
  const bench = givenWorkspace({ "real.txt": "real\n", "dir/in.txt": "in\n", ".git/config": "[core]\n" });
  benches.push(bench);
  const outside = path.dirname(bench.root);
  writeFileSync(path.join(outside, "secret.txt"), "secret\n");
  mkdirSync(path.join(outside, "ws-beside"));
  const link = (target: string, name: string): void => symlinkSync(target, path.join(bench.root, name));
  link("../secret.txt", "out-file");
  link("..", "out-dir");
  link(path.join(outside, "secret.txt"), "out-absolute");
  link("out-dir", "out-twice");
  link("../absent.txt", "out-dangling");
  link("absent.txt", "dangling");
  link("circle", "circle");
  link("real.txt", "in-file");
  link("dir", "in-dir");
  link(".git", "git-link");
  link("/proc/self/environ", "environ");
  link("/dev/zero", "zero");
  execFileSync("mkfifo", [path.join(bench.root, "fifo")]);
  return { bench, outside };
}

const refusedAnywhere: readonly (readonly [path: string, why: RegExp])[] = [
  ["../secret.txt", /outside the workspace/],
  ["dir/../../secret.txt", /outside the workspace/],
  ["..", /outside the workspace/],
  ["../ws-beside/x", /outside the workspace/],
  ["/etc/passwd", /outside the workspace/],
  ["/proc/self/environ", /outside the workspace/],
  ["out-file", /through a link/],
  ["out-dir/secret.txt", /through a link/],
  ["out-dir/new.txt", /through a link/],
  ["out-dir/a/b/new.txt", /through a link/],
  ["out-absolute", /through a link/],
  ["out-twice/secret.txt", /through a link/],
  ["environ", /through a link/],
  ["zero", /through a link/],
  ["out-dangling", /does not exist/],
  ["dangling", /does not exist/],
  ["circle", /in a circle/],
  ["circle/x", /in a circle/],
  ["real.txt/x", /real.txt is not a directory/],
  ["fifo", /not a regular file/],
  ["a\0b", /NUL/],
  [`${"n".repeat(256)}`, /256 bytes; at most 255/],
  [`${"d/".repeat(2100)}x`, /at most 4096/],
];

const refusedToWriters = [
  ".git/config",
  ".git/new",
  ".git",
  ".GIT/config",
  "dir/.git/x",
  "git-link/config",
  "./.git/hooks/x",
];

const uses = {
  read: (name: string) => ({ path: name }),
  search: (name: string) => ({ pattern: "secret|HOME", path: name }),
  glob: (name: string) => ({ pattern: "**", path: name }),
  edit: (name: string) => ({ path: name, old: "secret", new: "changed" }),
  write: (name: string) => ({ path: name, content: "changed\n" }),
  shell: (name: string) => ({ command: "cat *", dir: name }),
} as const;

describe("no tool follows a name out of the workspace", () => {
  const { bench, outside } = givenTraps();
  for (const [tool, input] of Object.entries(uses)) {
    it.each(refusedAnywhere)(`${tool} %s`, async (name, why) => {
      const result = await bench.use(tool, input(name));
      expect(result.status).toBe("error");
      expect(result.output).not.toContain("secret\n");
      if (tool === "read" || tool === "write" || tool === "edit") expect(result.output).toMatch(why);
      expect(readFileSync(path.join(outside, "secret.txt"), "utf8")).toBe("secret\n");
    });
  }
});

describe("nothing writes into .git", () => {
  const { bench } = givenTraps();
  it.each(refusedToWriters)("%s", async (name) => {
    for (const tool of ["write", "edit"] as const) {
      const result = await bench.use(tool, uses[tool](name));
      expect(result).toMatchObject({ status: "error", output: expect.stringMatching(/belongs to .git/) });
    }
    expect(readFileSync(path.join(bench.root, ".git/config"), "utf8")).toBe("[core]\n");
  });

  it("but names that only look like it are free", async () => {
    expect(await bench.use("write", { path: ".gitignore", content: "x\n" })).toMatchObject({ status: "ok" });
    expect(await bench.use("write", { path: "dir/.github/x.yml", content: "x\n" })).toMatchObject({
      status: "ok",
    });
  });
});

describe("links that stay inside", () => {
  it("are followed and stay links", async () => {
    const { bench } = givenTraps();
    expect(await bench.use("edit", { path: "in-file", old: "real", new: "new" })).toMatchObject({
      status: "ok",
    });
    expect(await bench.use("write", { path: "in-dir/more.txt", content: "x\n" })).toMatchObject({
      status: "ok",
    });
    expect(lstatSync(path.join(bench.root, "in-file")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(bench.root, "real.txt"), "utf8")).toBe("new\n");
    expect(readFileSync(path.join(bench.root, "dir/more.txt"), "utf8")).toBe("x\n");
  });

  it("a hard link to a file outside is replaced, not written through", async () => {
    const { bench, outside } = givenTraps();
    linkSync(path.join(outside, "secret.txt"), path.join(bench.root, "hard"));
    expect(await bench.use("write", { path: "hard", content: "x\n" })).toMatchObject({ status: "ok" });
    expect(readFileSync(path.join(outside, "secret.txt"), "utf8")).toBe("secret\n");
  });
});

it("takes an absolute path that lies in the workspace", async () => {
  const { bench } = givenTraps();
  const result = await bench.use("read", { path: path.join(bench.root, "dir/in.txt") });
  expect(result.output).toBe("    1\tin");
});
