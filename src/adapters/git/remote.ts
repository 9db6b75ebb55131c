import { GitError, type SimpleGit, simpleGit } from "simple-git";
import { parseSha, type Sha } from "../../base/hash.ts";
import type { Pinned } from "../../workspace/workspace.ts";
import { type GitPlace, type GitRemote, gitEnvironment } from "./environment.ts";

export type Refusal = Extract<Pinned, { readonly kind: "refused" }>;

/** Where commits come from, and the private repository that takes them in. */
export type Origin = {
  readonly place: GitPlace;
  readonly remote: GitRemote;
  readonly signal: AbortSignal;
};

const messageCharsMax = 500;

/** What these refs name at the remote; a ref that is not there is left out. */
export async function listRefs(
  origin: Origin,
  refs: readonly string[],
): Promise<ReadonlyMap<string, Sha> | Refusal> {
  const answer = await talk(origin, ["ls-remote", "--quiet", origin.remote.url, ...refs]);
  if (typeof answer !== "string") return answer;
  const found = new Map<string, Sha>();
  for (const line of answer.split("\n")) {
    const [text = "", ref = ""] = line.split("\t");
    const id = parseSha(text);
    if (id !== null && refs.includes(ref)) found.set(ref, id);
    else if (/^[0-9a-f]{64}$/.test(text)) return sha256;
  }
  return found;
}

/** Fetches by `source:destination`; history is cut after `depth` commits, null for what is missing of all of it. */
export async function fetchRefs(
  origin: Origin,
  refspecs: readonly string[],
  depth: number | null,
): Promise<Refusal | null> {
  const answer = await talk(origin, [
    "fetch",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-show-forced-updates",
    ...(depth === null ? [] : [`--depth=${depth}`]),
    origin.remote.url,
    ...refspecs,
  ]);
  return typeof answer === "string" ? null : answer;
}

const sha256: Refusal = {
  kind: "refused",
  code: "unsupported",
  why: "the repository uses SHA-256 object ids, which are not supported",
};

async function talk(origin: Origin, args: readonly string[]): Promise<string | Refusal> {
  origin.signal.throwIfAborted();
  try {
    return await client(origin).raw([...args]);
  } catch (error) {
    origin.signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    return refusalOf(error.message, origin.remote.url);
  }
}

/** simple-git drops every `GIT_` variable that is not allowed by name, and refuses settings that can run programs. */
function client({ place, remote, signal }: Origin): SimpleGit {
  const environment = gitEnvironment(place, remote);
  return simpleGit({
    baseDir: place.home,
    abort: signal,
    allowEnvironment: Object.keys(environment),
    unsafe: {
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
    },
  }).env(environment);
}

function refusalOf(message: string, url: string): Refusal {
  const why = `${url}: ${message.trim().slice(0, messageCharsMax)}`;
  if (/couldn't find remote ref|not our ref|unadvertised object|no such remote ref/i.test(message))
    return { kind: "refused", code: "moved", why };
  if (/mismatched algorithms|object.format/i.test(message)) return sha256;
  if (/fsck error|fsck_|in fsck/i.test(message)) return { kind: "refused", code: "unsupported", why };
  return { kind: "refused", code: "unreachable", why };
}
