import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { CommitFile } from "../../../src/delivery/host.ts";
import { clone, mainBranch, never, path } from "../git/given-pinning.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

/** Changes a checkout of main and puts it on main through the Git Data API, as a delivery does. */
async function deliver(
  { github, host, dir: folder }: GitHubWorld,
  number: number,
  change: (dir: string) => void,
): Promise<{ readonly dir: string; readonly head: Sha }> {
  const remote = { url: `${github.url}/octo/demo.git`, token: github.jobToken };
  const dir = join(folder, `work-${number}`);
  const spaces = gitWorkspaces({ remote, dir: join(folder, `private-${number}`), borrowFrom: null, path });
  const pinned = await spaces.pin(mainBranch, { signal: never });
  if (pinned.kind === "refused") throw new Error(pinned.why);
  await using workspace = pinned.workspace;
  const { baseSha, baseTree } = workspace;
  await workspace.restore(dir, baseTree);
  change(dir);
  const sealed = await workspace.seal(dir);
  if (sealed.kind !== "sealed") throw new Error(sealed.why);
  const files: CommitFile[] = [];
  for (const { path: name, mode, blob } of await workspace.diff(baseTree, sealed.tree)) {
    const bytes = blob === null ? null : await workspace.objects.blob(blob);
    files.push({ path: name, mode: mode ?? "100644", bytes });
  }
  const made = await host.branch.commit({
    ...{ parent: baseSha, parentTree: baseTree, tree: sealed.tree, files },
    message: "Change things",
  });
  if (made.kind === "refused") throw new Error(made.why);
  expect(await host.branch.advance("main", { from: baseSha, to: made.sha })).toEqual({ kind: "made" });
  expect(github.git("rev-parse", `${made.sha}^{tree}`)).toBe(sealed.tree);
  return { dir, head: made.sha };
}

/** Everything but directories: what it is, whether it is executable, and what it holds. */
function listing(dir: string): Readonly<Record<string, string>> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const entries = names.flatMap((name): [string, string][] => {
    const at = join(dir, name);
    const stat = lstatSync(at);
    if (name.startsWith(".git/") || name === ".git" || stat.isDirectory()) return [];
    if (stat.isSymbolicLink()) return [[name, `to ${readlinkSync(at)}`]];
    return [[name, `${stat.mode & 0o100 ? "runs" : "holds"} ${readFileSync(at).toString("base64")}`]];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const put = (dir: string, name: string, bytes: string | Buffer, mode = 0o644): void => {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), bytes);
  chmodSync(join(dir, name), mode);
};

describe("a commit by the Git Data API", () => {
  it("holds bytes, modes, links, names and deletions as the checkout had them", {
    timeout: 60_000,
  }, async () => {
    await using world = await githubWorld();
    const large = randomBytes(6 * 1024 * 1024);
    const first = await deliver(world, 1, (dir) => {
      put(dir, "run.sh", "#!/bin/sh\n", 0o755);
      put(dir, "large.bin", large);
      put(dir, "bytes.bin", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
      put(dir, "empty", "");
      put(dir, "no-newline", "text");
      put(dir, "crlf.txt", "one\r\ntwo\r\n");
      put(dir, "not-utf-8.txt", Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
      put(dir, "deep/er/and/deeper/file.txt", "deep\n");
      put(dir, 'odd names/ "quoted" $HOME\t;&|\'`.txt', "odd\n");
      put(dir, "-rf", "an option\n");
      put(dir, "naïve/日本語/🙂.txt", "unicode\n");
      put(dir, "becomes-folder", "file\n");
      put(dir, "becomes-file/inner.txt", "folder\n");
      put(dir, "sorts/a", "1\n");
      put(dir, "sorts.txt", "2\n");
      put(dir, "sorts-0", "3\n");
      symlinkSync("run.sh", join(dir, "link"));
      symlinkSync("../nowhere/at all", join(dir, "dangling"));
    });
    const second = await deliver(world, 2, (dir) => {
      chmodSync(join(dir, "run.sh"), 0o644);
      chmodSync(join(dir, "crlf.txt"), 0o755);
      renameSync(join(dir, "large.bin"), join(dir, "deep/moved.bin"));
      rmSync(join(dir, "dir"), { recursive: true });
      rmSync(join(dir, "deep/er"), { recursive: true });
      rmSync(join(dir, "link"));
      put(dir, "link", "no link any more\n", 0o755);
      rmSync(join(dir, "empty"));
      symlinkSync("a.txt", join(dir, "empty"));
      rmSync(join(dir, "becomes-folder"));
      put(dir, "becomes-folder/inner.txt", "folder\n");
      rmSync(join(dir, "becomes-file"), { recursive: true });
      put(dir, "becomes-file", "file\n");
    });
    for (const { dir, head } of [first, second]) {
      const copy = await clone(world.github.bare, join(world.dir, `clone-${head}`), "--no-checkout");
      world.github.git("--git-dir", join(copy, ".git"), "--work-tree", copy, "checkout", "--quiet", head);
      expect(listing(copy)).toEqual(listing(dir));
      expect(Object.keys(listing(dir)).length).toBeGreaterThan(15);
    }
    expect(world.github.git("fsck", "--strict", "--no-dangling")).toBe("");
  });
});
