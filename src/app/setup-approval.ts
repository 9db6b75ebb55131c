import { digestOf, type Tree } from "../base/hash.ts";
import type { WaitingCall } from "../delivery/waiting.ts";
import type { AskedSetup } from "../delivery/waiting-setup.ts";
import type { Config } from "../gate/config.ts";
import type { Contents } from "../gate/contents.ts";
import { changedDependencies } from "../gate/dependencies/dependencies.ts";
import type { Story } from "../loop/story.ts";
import { isOfSetup, setupTool } from "../session/approvals.ts";
import { eventsOf } from "../session/journal.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Candidate } from "./candidate.ts";

/**
 * What setup installs from where the change touches that. `id` is the approval's: it names the commands, the variables
 * that they are given and each of these files byte for byte, so that a word of a person is about exactly them, and stands
 * while only other files change.
 */
export type ChangedInputs = {
  readonly id: string;
  /** The base with these files of the change, and nothing else of it: the only tree that setup is ever run on again. */
  readonly tree: Tree;
  readonly paths: readonly string[];
};

/** What people said of it. */
export type SetupWord =
  | { readonly kind: "granted"; readonly by: string; readonly inputs: ChangedInputs }
  | { readonly kind: "denied"; readonly by: string; readonly inputs: ChangedInputs }
  | { readonly kind: "waits"; readonly call: WaitingCall };

type Parts = { readonly workspace: Workspace; readonly config: Config; readonly story: Story };

const why = "the change touches what it installs from";

/** A longer one is a lock file's, which nobody reads to its end. */
const patchBytesMax = 64 * 1024;

/** Asks once for leave to run setup on these files of the change, and gives what was said. Null where nothing is set up. */
export async function askForSetup(
  { workspace, config, story }: Parts,
  change: Candidate,
  { paths, contents }: { readonly paths: readonly string[]; readonly contents: Contents },
): Promise<SetupWord | null> {
  if (paths.length === 0 || config.setup.length === 0) return null;
  const tree = await laidOnBase(workspace, change.tree, (path) => paths.includes(path));
  const files = await filesOf(workspace, tree);
  const id = idOf(config, files);
  const asked = story.state.approvals[id];
  const said = asked !== undefined && isOfSetup(asked) ? asked.status : null;
  if (said === "granted" || said === "denied")
    return { kind: said, by: await whoSaid(story, id), inputs: { id, tree, paths } };
  const packages = await changedDependencies(paths, contents);
  const patched = await withPatches(workspace, change.tree, files);
  const { setup: commands, env } = config;
  const shown: AskedSetup = { commands, env, files: patched, packages };
  const text = JSON.stringify(shown);
  if (said === null) {
    const stored = await story.store(text, { json: true });
    await story.append({ type: "approval.requested", id, tool: setupTool, why, arguments: stored });
  }
  return { kind: "waits", call: { id, tool: setupTool, why, arguments: text } };
}

type InputFile = Omit<AskedSetup["files"][number], "patch">;

/** All in which it differs from the base: also what had to make room, such as a file that is a folder of these now. */
async function filesOf({ baseTree, objects, diff }: Workspace, tree: Tree): Promise<readonly InputFile[]> {
  const changes = await diff(baseTree, tree);
  return Promise.all(
    changes.map(async ({ path, status, mode, blob }) => {
      const sha256 = blob === null ? null : digestOf(await objects.blob(blob));
      return { path, status, mode, sha256 };
    }),
  );
}

/** Half of a SHA-256: too long for two changes to be made that have the same one. */
const idDigits = 32;

function idOf({ setup, env }: Config, files: readonly InputFile[]): string {
  const fields = files.map(({ path, mode, sha256 }) => [path, mode, sha256]);
  return `setup_${digestOf(JSON.stringify(["baton/setup/1", setup, env, fields])).slice(0, idDigits)}`;
}

async function withPatches(
  workspace: Workspace,
  tree: Tree,
  files: readonly InputFile[],
): Promise<AskedSetup["files"]> {
  const { baseTree, objects } = workspace;
  const shown = files.map(async (file) => {
    const to = await laidOnBase(workspace, tree, (path) => path === file.path);
    const patch = await objects.patch({ from: baseTree, to, bytesMax: patchBytesMax });
    return { ...file, patch: patch === null ? null : textOf(patch) };
  });
  return Promise.all(shown);
}

/** Null for one of bytes that are no text, of which nobody could read what it does. */
function textOf(patch: Uint8Array): string | null {
  const text = new TextDecoder().decode(patch);
  return text.includes("\nGIT binary patch\n") ? null : text;
}

function laidOnBase(
  { baseTree, objects }: Workspace,
  to: Tree,
  only: (path: string) => boolean,
): Promise<Tree> {
  return objects.transplant({ from: baseTree, to, onto: baseTree, only });
}

async function whoSaid(story: Story, id: string): Promise<string> {
  const said = (await eventsOf(story)).findLast(
    (event) => (event.type === "approval.granted" || event.type === "approval.denied") && event.id === id,
  );
  if (said === undefined || !("by" in said)) throw new Error(`nobody said anything of ${id}`);
  return said.by;
}
