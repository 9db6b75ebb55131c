import { parseSha, parseTree, type Sha, type Tree } from "../../base/hash.ts";
import type { BranchHost, CommitFile, HostRefusal } from "../../delivery/host.ts";
import { type Answer, type No, untilAnswered, untilSeen } from "./client.ts";
import type { Place } from "./place.ts";
import { cannotTell, isAbsent, refusalOf } from "./refusal.ts";

const needs = "contents: write";
/** What GitHub says of an object that it does not know. */
const unseenObject = /\b(?:object|sha) does not exist|BadObjectState|could not resolve to a (?:commit|node)/i;

/** Branches by the Git Data API and one GraphQL mutation, so that no git process ever holds the token. */
export function githubBranches(place: Place): BranchHost {
  return {
    find: async (name) => {
      const sha = await refAt(place, name);
      return sha === null ? null : { sha, ...(await commitAt(place, sha)) };
    },
    commit: (commit) => makeCommit(place, commit),
    create: (name, sha) => createRef(place, `refs/heads/${name}`, sha),
    advance: (name, move) => advanceRef(place, name, move),
  };
}

/** Where the branch stands, or null. */
async function refAt(place: Place, name: string): Promise<Sha | null> {
  const at = await shaAt(place, name);
  if (typeof at === "object" && at !== null) throw cannotTell(`look up the branch ${name}`, at);
  return at;
}

async function shaAt({ client, owner, repo, signal }: Place, name: string): Promise<Sha | No | null> {
  const answer = await client.ask(
    (request) => client.rest.git.getRef({ owner, repo, ref: `heads/${name}`, request }),
    { signal },
  );
  if (answer.kind === "no") return isAbsent(answer) ? null : answer;
  return answer.data.ref === `refs/heads/${name}` ? shaOf(answer.data.object.sha, `branch ${name}`) : null;
}

async function commitAt(
  { client, owner, repo, signal }: Place,
  sha: Sha,
): Promise<{ readonly tree: Tree; readonly parents: readonly Sha[]; readonly message: string }> {
  const answer = await client.ask(
    (request) => client.rest.git.getCommit({ owner, repo, commit_sha: sha, request }),
    { signal },
  );
  if (answer.kind === "no") throw cannotTell(`read the commit ${sha}`, answer);
  const tree = parseTree(answer.data.tree.sha);
  if (tree === null) throw new Error(`GitHub names the tree of ${sha} by something that is no tree id`);
  const parents = answer.data.parents.map((parent) => shaOf(parent.sha, `parent of ${sha}`));
  return { tree, parents, message: answer.data.message };
}

async function makeCommit(
  place: Place,
  commit: Parameters<BranchHost["commit"]>[0],
): Promise<{ readonly kind: "committed"; readonly sha: Sha } | HostRefusal> {
  const { client, owner, repo, signal } = place;
  const entries: TreeEntry[] = [];
  for (const file of deletionsFirst(commit.files)) {
    const entry = await treeEntry(place, file);
    if ("kind" in entry) return entry;
    entries.push(entry);
  }
  const refused = await makeTree(place, commit, entries);
  if (refused) return refused;
  // No author and no committer: GitHub then names the token's account and signs the commit, so that it shows as
  // verified and passes a rule that wants signatures. Nothing in either comes from the work (T31).
  const { message, tree, parent } = commit;
  const made = await untilMade(place, () =>
    client.ask(
      (request) => client.rest.git.createCommit({ owner, repo, message, tree, parents: [parent], request }),
      { signal },
    ),
  );
  if (made.kind === "no") return refusalOf(made, needs);
  return { kind: "committed", sha: shaOf(made.data.sha, "the commit just made") };
}

/** Where a directory became a file, or a file a directory, what is taken away has to be gone before the other comes. */
function deletionsFirst(files: readonly CommitFile[]): readonly CommitFile[] {
  const isDeletion = ({ bytes }: CommitFile): boolean => bytes === null;
  return [...files.filter(isDeletion), ...files.filter((file) => !isDeletion(file))];
}

type TreeEntry = {
  readonly path: string;
  readonly mode: CommitFile["mode"];
  readonly type: "blob";
  /** Null deletes the path. */
  readonly sha: string | null;
};

async function treeEntry(place: Place, file: CommitFile): Promise<TreeEntry | HostRefusal> {
  const { client, owner, repo, signal } = place;
  const entry = { path: file.path, mode: file.mode, type: "blob" } as const;
  if (file.bytes === null) return { ...entry, sha: null };
  const content = Buffer.from(file.bytes).toString("base64");
  const made = await untilAnswered(place, () =>
    client.ask(
      (request) => client.rest.git.createBlob({ owner, repo, content, encoding: "base64", request }),
      {
        signal,
      },
    ),
  );
  return made.kind === "no" ? refusalOf(made, needs) : { ...entry, sha: made.data.sha };
}

/** Null when GitHub has exactly the wanted tree now; throws when it computes another. */
async function makeTree(
  place: Place,
  commit: Parameters<BranchHost["commit"]>[0],
  entries: readonly TreeEntry[],
): Promise<HostRefusal | null> {
  const { client, owner, repo, signal } = place;
  let sha: string = commit.parentTree;
  if (entries.length > 0) {
    const tree = entries.map((entry) => ({ ...entry }));
    const made = await untilMade(place, () =>
      client.ask(
        (request) => client.rest.git.createTree({ owner, repo, base_tree: commit.parentTree, tree, request }),
        { signal },
      ),
    );
    if (made.kind === "no") return refusalOf(made, needs);
    sha = made.data.sha;
  }
  if (sha === commit.tree) return null;
  throw new Error(`GitHub made the tree ${sha} where ${commit.tree} was verified; nothing was published`);
}

/** An object of objects that were made just before. */
function untilMade<T>(place: Place, ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
  return untilSeen(place, unseenObject, () => untilAnswered(place, ask));
}

async function createRef(
  place: Place,
  ref: string,
  sha: Sha,
): Promise<{ readonly kind: "made" } | HostRefusal> {
  const { client, owner, repo, signal } = place;
  const made = await untilSeen(place, unseenObject, () =>
    client.ask((request) => client.rest.git.createRef({ owner, repo, ref, sha, request }), { signal }),
  );
  return made.kind === "no" ? refusalOf(made, needs) : { kind: "made" };
}

const moveRefs = `mutation ($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`;

/**
 * A true compare-and-swap, which REST does not have: a fast-forward alone would bring back a commit that a person took
 * off the branch after we looked.
 */
async function advanceRef(
  place: Place,
  name: string,
  { from, to }: { readonly from: Sha; readonly to: Sha },
): Promise<{ readonly kind: "made" } | HostRefusal> {
  const { client, owner, repo, signal } = place;
  const repository = await client.ask((request) => client.rest.repos.get({ owner, repo, request }), {
    signal,
  });
  if (repository.kind === "no") return refusalOf(repository, needs);
  const update = { name: `refs/heads/${name}`, beforeOid: from, afterOid: to, force: false };
  const input = { repositoryId: repository.data.node_id, refUpdates: [update] };
  const moved = await untilSeen(place, unseenObject, () => client.graphql(moveRefs, { input }, { signal }));
  if (moved.kind === "ok") return { kind: "made" };
  const refusal = refusalOf(moved, needs);
  if (refusal.code !== "rejected" && refusal.code !== "gone") return refusal;
  // What GitHub says of a branch that is elsewhere is not documented, so it is looked at.
  const at = await shaAt(place, name);
  if (typeof at === "object" && at !== null) return refusalOf(at, needs);
  if (at === null) return { kind: "refused", code: "gone", why: `the branch ${name} is gone` };
  if (at === to) return { kind: "made" };
  if (at === from) return { ...refusal, code: "rejected" };
  return { kind: "refused", code: "moved", why: `the branch ${name} moved to ${at}; expected ${from}` };
}

function shaOf(text: string, what: string): Sha {
  const sha = parseSha(text);
  if (sha === null) throw new Error(`GitHub names ${what} by something that is no commit id`);
  return sha;
}
