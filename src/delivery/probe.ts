import type { Sha } from "../base/hash.ts";
import { objectIn } from "../base/json.ts";
import type { Thread } from "../session/event.ts";
import type { SessionId } from "../session/id.ts";
import type { SealKey } from "../session/shipment.ts";
import { findCheckRun } from "./check-run.ts";
import { type Host, HostForbidden, HostUnavailable } from "./host.ts";
import { type AskedEffect, markerOf } from "./marker.ts";
import type { Patches } from "./patches.ts";
import { findPatch } from "./store-patch.ts";

export type Probed =
  | { readonly status: "done"; readonly detail: string; readonly url: string | null }
  | { readonly status: "absent"; readonly detail: string }
  /** It cannot be looked up, or not now: whether it happened is in doubt. */
  | { readonly status: "unknown"; readonly why: string };

type Effect = { readonly session: SessionId; readonly key: string; readonly detail: string };
type Place = {
  readonly host: Host;
  readonly patches: Patches;
  /** Of the session so far. */
  readonly runs: readonly string[];
  readonly key: SealKey;
  readonly thread: Thread | null;
};

/** Whether an effect that was intended and not settled is there (session.md, section 7, check 9). Throws `HostForbidden`. */
export async function probeEffect(effect: Effect, options: Place): Promise<Probed> {
  try {
    return (await lookUp(effect, options)) ?? { status: "unknown", why: "nothing says how to look it up" };
  } catch (error) {
    // What the token may not read is no doubt that time ends: the job has to be given the permission.
    if (error instanceof HostUnavailable && !(error instanceof HostForbidden))
      return { status: "unknown", why: error.message };
    throw error;
  }
}

/** Null for a key that cannot be looked up. Throws `HostUnavailable`. */
async function lookUp(effect: Effect, options: Place): Promise<Probed | null> {
  const { session, key } = effect;
  const detail = detailOf(effect.detail);
  switch (key) {
    case `${session}/pull-request`:
      return probePull(detail, markerOf(options.key, session, "pull-request"), options.host);
    case `${session}/check-run`:
      return probeCheckRun(detail, key, options.host);
    case `${session}/patch`:
    case `${session}/held-back`:
      return probePatch(detail, options);
    case `${session}/comment`:
      return probeComment(options.thread, markerOf(options.key, session, "comment"), options.host);
    default: {
      if (/^\/branch(?:\/[2-9])?$/.test(key.slice(session.length)) && key.startsWith(session))
        return probeBranch(detail, options.host);
      const asked = askedIn(key, session);
      return asked === null
        ? null
        : probeComment(options.thread, markerOf(options.key, session, asked), options.host);
    }
  }
}

/** The comment with which a call asks people, by the key of its effect. */
function askedIn(key: string, session: SessionId): AskedEffect | null {
  const effect = key.startsWith(`${session}/`) ? key.slice(session.length + 1) : "";
  return /^(?:question|approval)\//.test(effect) ? (effect as AskedEffect) : null;
}

type Detail = Readonly<Record<string, unknown>>;

async function probeBranch({ branch, parent, tree }: Detail, host: Host): Promise<Probed | null> {
  if (typeof branch !== "string") return null;
  const at = await host.branch.find(branch);
  if (at && at.tree === tree && at.parents.length === 1 && at.parents[0] === parent)
    return { status: "done", detail: at.sha, url: null };
  return { status: "absent", detail: at ? `the branch ${branch} is at ${at.sha}` : `no branch ${branch}` };
}

async function probePull({ branch }: Detail, marker: string, host: Host): Promise<Probed | null> {
  if (typeof branch !== "string") return null;
  const pulls = await host.pullRequest.find(branch);
  const ours = pulls.find((pull) => pull.body.includes(marker));
  if (ours) return { status: "done", detail: String(ours.number), url: ours.url };
  return { status: "absent", detail: `no pull request of ours from ${branch}` };
}

/** It is only for show, so a token that may not look it up stops nothing: it may not have made it either. */
async function probeCheckRun({ head }: Detail, externalId: string, host: Host): Promise<Probed | null> {
  if (typeof head !== "string") return null;
  try {
    const ours = await findCheckRun(head as Sha, externalId, host);
    if (ours !== null) return { status: "done", detail: String(ours.id), url: ours.url };
  } catch (error) {
    if (!(error instanceof HostForbidden)) throw error;
  }
  return { status: "absent", detail: `no check run of ours on ${head}` };
}

async function probePatch({ name }: Detail, place: Place): Promise<Probed | null> {
  if (typeof name !== "string") return null;
  const ours = await findPatch(name, place);
  if (ours !== null) return { status: "done", detail: ours.name, url: ours.url };
  return { status: "absent", detail: `no patch ${name}` };
}

async function probeComment(thread: Thread | null, marker: string, host: Host): Promise<Probed | null> {
  if (thread === null) return null;
  const [ours] = await host.comment.find(thread.number, marker);
  if (ours) return { status: "done", detail: String(ours.id), url: ours.url };
  return { status: "absent", detail: `no comment of ours on #${thread.number}` };
}

function detailOf(text: string): Detail {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}
