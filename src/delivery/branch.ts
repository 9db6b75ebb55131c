import type { Tree } from "../base/hash.ts";
import type { Thread } from "../session/event.ts";
import type { SessionId } from "../session/id.ts";
import { type Host, HostUnavailable } from "./host.ts";
import { neutralTitle } from "./neutral.ts";

/** `agent/<number>-<session>`, or `agent/task-<session>`: nothing in it comes from the work (T31, T65). */
export function branchName(thread: Thread | null, session: SessionId): string {
  return `agent/${thread === null ? "task" : thread.number}-${session}`;
}

/** The key of the effect that makes it, which tells its name too. */
export type OwnBranch = { readonly key: string; readonly name: string };

const namesMax = 5;

function ownBranches(name: string, session: SessionId): readonly OwnBranch[] {
  const key = `${session}/branch`;
  const more = Array.from({ length: namesMax - 1 }, (_, i) => i + 2);
  return [{ key, name }, ...more.map((n) => ({ key: `${key}/${n}`, name: `${name}-${n}` }))];
}

/** The branch that the session began to make, by the keys of its effects; null before. */
export function begunBranch(
  name: string,
  { session, effects }: { readonly session: SessionId; readonly effects: Readonly<Record<string, unknown>> },
): OwnBranch | null {
  return ownBranches(name, session).findLast(({ key }) => key in effects) ?? null;
}

/**
 * The branch to make. What stands under our name before we began to make it is somebody else's: it stays, and ours gets
 * a number. Once begun it is always the same one, so that there are never two.
 */
export async function branchToMake(
  name: string,
  {
    host,
    ...begun
  }: {
    readonly session: SessionId;
    readonly effects: Readonly<Record<string, unknown>>;
    readonly host: Host;
  },
): Promise<OwnBranch> {
  const own = begunBranch(name, begun);
  if (own !== null) return own;
  const [first, ...others] = ownBranches(name, begun.session);
  if (first === undefined) throw new Error("a branch has no name");
  try {
    for (const one of [first, ...others]) {
      const at = await host.branch.find(one.name);
      // Another run of the session, whose log this one does not have, may have made it: there are never two.
      if (at === null || at.message.split("\n").includes(signature(begun.session))) return one;
    }
  } catch (error) {
    // Making it begins with the same look, which says so.
    if (!(error instanceof HostUnavailable)) throw error;
  }
  return first;
}

/** The line of a commit's message by which the session's own commits are known. */
function signature(session: SessionId): string {
  return `Baton session ${session}.`;
}

type Person = { readonly login: string; readonly id: number };

const subjectMax = 72;

/** The subject comes from the work, made harmless; the rest is ours, so that no trailer or directive of its own can be. */
export function commitMessage(commit: {
  readonly title: string;
  readonly session: SessionId;
  readonly tree: Tree;
  /** Who asked for it; null where nobody did. */
  readonly by: Person | null;
}): string {
  const subject = neutralTitle(commit.title, subjectMax) || "Change what was asked for";
  const body = `The declared checks ran on exactly this tree, ${commit.tree}.\n${signature(commit.session)}`;
  return [subject, body, ...(commit.by === null ? [] : coAuthor(commit.by))].join("\n\n").concat("\n");
}

/**
 * People share in what they asked for, by the address that GitHub keeps for each account. An app's login ends in
 * `[bot]`, and one that is not spelled as GitHub spells them is not put where git looks for trailers.
 */
function coAuthor({ login, id }: Person): readonly string[] {
  const isPerson =
    /^[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9_])|_){0,99}$/.test(login) &&
    Number.isSafeInteger(id) &&
    id > 0;
  return isPerson ? [`Co-authored-by: ${login} <${id}+${login}@users.noreply.github.com>`] : [];
}
