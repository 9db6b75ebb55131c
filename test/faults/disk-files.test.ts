import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { removeTree } from "../../src/adapters/sandbox/end.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { commit, emptyRepository, serveRepositories, temporaryFolder } from "../kit/repositories.ts";

async function givenWork(): Promise<
  AsyncDisposable & { readonly workspace: Workspace; readonly work: string }
> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  commit(emptyRepository(join(folder, "served/o/r.git")), { "a.txt": "a\n" });
  const server = stack.use(await serveRepositories(join(folder, "served")));
  const pinned = await gitWorkspaces({
    remote: { url: `${server.url}/o/r.git`, token: null },
    dir: join(folder, "private"),
    borrowFrom: null,
    path: process.env["PATH"] ?? "",
  }).pin(
    { kind: "branch", branch: "main", baseSha: null, configSha: null },
    { signal: new AbortController().signal },
  );
  if (pinned.kind === "refused") throw new Error(pinned.why);
  const workspace = stack.use(pinned.workspace);
  const work = join(folder, "work");
  await workspace.restore(work, workspace.baseTree);
  return { workspace, work, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Each folder is made from inside the one above it, since no path leads that far down. */
function dig(dir: string, name: string, levels: number): void {
  const script = `import os\nos.chdir(${JSON.stringify(dir)})\nfor _ in range(${levels}):\n os.mkdir("${name}")\n os.chdir("${name}")\nopen("f", "w").write("x")`;
  execFileSync("python3", ["-c", script]);
}

it("folders nested deeper than any path can name are refused by name, and removed all the same (F60)", async () => {
  await using at = await givenWork();
  const name = "d".repeat(200);
  dig(at.work, name, 100);
  const sealed = await at.workspace.seal(at.work);
  expect(sealed).toMatchObject({ kind: "refused", path: expect.stringMatching(`^${name}/${name}/`) });
  await removeTree(join(at.work, name));
  expect(existsSync(join(at.work, name))).toBe(false);
  expect(await at.workspace.seal(at.work)).toMatchObject({ kind: "sealed", tree: at.workspace.baseTree });
});

it("folders nested hundreds deep are sealed, and restored elsewhere (F60)", async () => {
  await using at = await givenWork();
  dig(at.work, "d", 300);
  const sealed = await at.workspace.seal(at.work);
  if (sealed.kind === "refused") throw new Error(sealed.why);
  const elsewhere = join(at.work, "../elsewhere");
  await at.workspace.restore(elsewhere, sealed.tree);
  expect(await at.workspace.seal(elsewhere)).toEqual(sealed);
});

it("what was closed to everybody is removed with what is in it (F60)", async () => {
  await using at = await givenWork();
  mkdirSync(join(at.work, "closed/inner"), { recursive: true });
  writeFileSync(join(at.work, "closed/inner/f"), "x");
  chmodSync(join(at.work, "closed/inner"), 0o000);
  chmodSync(join(at.work, "closed"), 0o000);
  await removeTree(join(at.work, "closed"));
  expect(existsSync(join(at.work, "closed"))).toBe(false);
});
