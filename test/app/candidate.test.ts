import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { candidateOf, contentsOf } from "../../src/app/candidate.ts";
import { askForSetup } from "../../src/app/setup-approval.ts";
import type { Sha } from "../../src/base/hash.ts";
import type { AskedSetup } from "../../src/delivery/waiting-setup.ts";
import { setupInputs } from "../../src/gate/dependencies/setup-inputs.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { put, small, treeOf } from "../contracts/given-workspace.ts";
import { commit, emptyRepository, temporaryFolder } from "../kit/repositories.ts";

const kept = new AsyncDisposableStack();
let workspace: Workspace;
let room: string;
let dirs = 0;

beforeAll(async () => {
  const folder = kept.use(temporaryFolder());
  room = folder.path;
  const repository = emptyRepository(join(room, "local.git"));
  const sha = commit(repository, small, { parent: null }) as Sha;
  const pinned = await localWorkspaces({
    repository,
    dir: join(room, "private"),
    path: process.env["PATH"] ?? "",
  }).pin(
    { kind: "branch", branch: "main", baseSha: sha, configSha: sha },
    { signal: new AbortController().signal },
  );
  if (pinned.kind === "refused") throw new Error(pinned.why);
  workspace = kept.use(pinned.workspace);
});
afterAll(() => kept.disposeAsync());

type Does = (dir: string) => void;
const nothing: Does = () => undefined;

/** What would be pushed after setup and the model did this in a directory. */
async function candidate(does: Does, setup: Does = nothing) {
  dirs += 1;
  const dir = join(room, `work-${dirs}`);
  await workspace.restore(dir, workspace.baseTree);
  setup(dir);
  const setupTree = await treeOf(workspace, dir);
  does(dir);
  return candidateOf(workspace, { setupTree, tree: await treeOf(workspace, dir) });
}

const droppings: Does = (dir) => {
  put(dir, "generated.txt", "made by setup\n");
  put(dir, "README.md", "# Demo, as setup left it\n");
};

describe("a session without a change", () => {
  it.each<[what: string, does: Does, setup?: Does]>([
    ["did nothing", nothing],
    [
      "changed a file and put it back",
      (dir) => {
        put(dir, "src/a.js", "changed\n");
        put(dir, "src/a.js", "export const a = 1;\n");
      },
    ],
    ["made a file and removed it", (dir) => rmSync(put(dir, "new.txt", "new\n"))],
    [
      "moved a file there and back",
      (dir) => {
        renameSync(join(dir, "src/a.js"), join(dir, "src/c.js"));
        renameSync(join(dir, "src/c.js"), join(dir, "src/a.js"));
      },
    ],
    [
      "made an executable file so again",
      (dir) => {
        chmodSync(join(dir, "bin/run"), 0o644);
        chmodSync(join(dir, "bin/run"), 0o755);
      },
    ],
    ["changed rights of which git keeps nothing", (dir) => chmodSync(join(dir, "README.md"), 0o600)],
    ["changed a time", (dir) => utimesSync(join(dir, "README.md"), 1, 1)],
    [
      "made files that are ignored",
      (dir) => {
        put(dir, "a.log", "x\n");
        put(dir, "out/b.js", "x\n");
      },
    ],
    ["made a directory that is empty", (dir) => mkdirSync(join(dir, "empty/deep"), { recursive: true })],
    ["left what setup made as it was", nothing, droppings],
    ["removed what setup made", (dir) => rmSync(join(dir, "generated.txt")), droppings],
    ["put back what setup changed", (dir) => void put(dir, "README.md", "# Demo\n"), droppings],
    [
      "put a link back",
      (dir) => {
        rmSync(join(dir, "link-to-a"));
        symlinkSync("src/a.js", join(dir, "link-to-a"));
      },
    ],
  ])("is one that %s", async (_, does, setup) => {
    expect(await candidate(does, setup)).toEqual({ tree: workspace.baseTree, changes: [] });
  });
});

describe("a session with a change", () => {
  it.each<[what: string, does: Does, changes: object[], setup?: Does]>([
    [
      "made a file executable",
      (dir) => chmodSync(join(dir, "README.md"), 0o755),
      [{ path: "README.md", status: "modified", mode: "100755" }],
    ],
    [
      "took the right to execute from one",
      (dir) => chmodSync(join(dir, "bin/run"), 0o644),
      [{ path: "bin/run", status: "modified", mode: "100644" }],
    ],
    [
      "changed an end of line",
      (dir) => void put(dir, "src/a.js", "export const a = 1;\r\n"),
      [{ path: "src/a.js", status: "modified" }],
    ],
    [
      "turned a link into its file",
      (dir) => {
        rmSync(join(dir, "link-to-a"));
        put(dir, "link-to-a", "export const a = 1;\n");
      },
      [{ path: "link-to-a", status: "modified", mode: "100644" }],
    ],
    ["made an empty file", (dir) => void put(dir, "empty", ""), [{ path: "empty", status: "added" }]],
    [
      "changed a file beside what setup made",
      (dir) => void put(dir, "src/a.js", "b\n"),
      [{ path: "src/a.js", status: "modified" }],
      droppings,
    ],
  ])("is one that %s", async (_, does, changes, setup) => {
    const { tree, changes: found } = await candidate(does, setup);
    expect(found).toMatchObject(changes);
    expect(found).toHaveLength(changes.length);
    expect(tree).not.toBe(workspace.baseTree);
  });
});

it("asks nothing of a workspace that was not sealed", async () => {
  await expect(candidateOf(workspace, { tree: null, setupTree: null })).rejects.toThrow(
    "before the workspace was sealed",
  );
});

describe("setup on a change", () => {
  /** What is shown to people of it. */
  async function asked(does: Does, env: readonly string[] = []): Promise<AskedSetup & { id: string }> {
    const change = await candidate(does);
    const contents = contentsOf(workspace, change.changes);
    const paths = await setupInputs(change.changes, contents);
    const story = {
      state: { approvals: {} },
      store: async (text: string) => ({ type: "inline", text }) as const,
      append: async () => undefined,
    };
    const parts = { workspace, config: { setup: ["install"], env }, story } as unknown as Parameters<
      typeof askForSetup
    >[0];
    const word = await askForSetup(parts, change, { paths, contents });
    if (word?.kind !== "waits") throw new Error("nobody is asked");
    return { ...(JSON.parse(word.call.arguments) as AskedSetup), id: word.call.id };
  }

  it("is shown with every file that it would find otherwise, also one that has to make room", async () => {
    const { files } = await asked((dir) => {
      rmSync(join(dir, "README.md"));
      put(dir, "README.md/package.json", "{}\n");
    });
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ["README.md", "deleted"],
      ["README.md/package.json", "added"],
    ]);
    expect(files[0]?.patch).toContain("deleted file mode 100644");
  });

  it("shows of a file that is no text that it is none, and not how git writes its bytes", async () => {
    const { files } = await asked((dir) => put(dir, ".npmrc", "registry=https://a.example\n;\0\n"));
    expect(files.map(({ path, patch }) => [path, patch])).toEqual([[".npmrc", null]]);
  });

  it("is shown with the variables that it is given, and is another question with others", async () => {
    const install: Does = (dir) => put(dir, "package.json", "{}\n");
    const [none, one, again] = [
      await asked(install),
      await asked(install, ["CI"]),
      await asked(install, ["CI"]),
    ];
    expect([none.env, one.env]).toEqual([[], ["CI"]]);
    expect(one.id).not.toBe(none.id);
    expect(one.id).toBe(again.id);
  });
});
