// Sees what a run makes or takes away after it has lost the session to another.
import type { Host } from "../../../src/delivery/host.ts";
import { markerOf } from "../../../src/delivery/marker.ts";
import type { RunRef } from "../../../src/session/event.ts";
import type { Shelf } from "../../../src/session/shelf.ts";
import { type Asks, leaseAt, newestLease } from "./refs.ts";
import { type Stage, session } from "./scene.ts";

type Ports = { readonly host: Host; readonly asks: Asks; readonly shelf: Shelf };

/** What a run last saw of the leases: whether it was the newest, and that it has shipped and made nothing since. */
type Look = { readonly newest: boolean };

/**
 * The same ports. A run that lost the session may make something only where it lost it after its last look, which was
 * the last thing before: every effect is shipped first, then the leases are looked at.
 */
export function watched(stage: Stage, ref: RunRef, { host, asks, shelf }: Ports): Ports {
  const { refs, mode, unfenced, outrun, key } = stage;
  const marker = markerOf(key, session, "comment");
  const name = `run ${ref.id}.${ref.attempt}`;
  let look: Look | null = null;
  /** Not undone by a shipment: the comment is opened while other things are shipped. */
  let lookForComment: Look | null = null;
  const isOurs = (run: RunRef): boolean => run.id === ref.id && run.attempt === ref.attempt;
  const isNewest = (): boolean => {
    const newest = newestLease(refs);
    return newest !== null && isOurs(newest.run);
  };
  const isOver = (run: RunRef): boolean =>
    refs.ended.some(({ id, attempt }) => id === run.id && attempt === run.attempt);
  const making = (what: string, seen: Look | null): void => {
    const newest = newestLease(refs)?.run ?? null;
    // The comment of a session that ended is finished by whoever comes across it.
    const idle = what === "the comment" && (newest === null || isOver(newest));
    look = null;
    lookForComment = null;
    if (mode === "unleased" || isNewest()) return;
    if (seen?.newest) outrun.push(`${name} made ${what}`);
    else if (!idle) unfenced.push(`${name} made ${what}`);
  };
  const asked = (request: string): NonNullable<Asks[string]> => {
    const ask = asks[request];
    if (ask === undefined) throw new Error(`leases do not ask ${request}`);
    return ask;
  };
  return {
    host: {
      ...host,
      branch: {
        ...host.branch,
        create: (branch, sha) => {
          making("the branch", look);
          return host.branch.create(branch, sha);
        },
        advance: async (branch, move) => {
          making("the push", look);
          const made = await host.branch.advance(branch, move);
          if (made.kind === "made") stage.pushed.push(move.to);
          return made;
        },
      },
      pullRequest: {
        ...host.pullRequest,
        open: (pull) => {
          making("the pull request", look);
          return host.pullRequest.open(pull);
        },
      },
      comment: {
        ...host.comment,
        create: (number, body) => {
          if (body.includes(marker)) making("the comment", lookForComment);
          return host.comment.create(number, body);
        },
      },
    },
    asks: {
      ...asks,
      "git.listMatchingRefs": (params) => {
        look = { newest: isNewest() };
        lookForComment = look;
        return asked("git.listMatchingRefs")(params);
      },
      "git.deleteRef": (params) => {
        const lease = leaseAt(refs, `refs/${String(params["ref"])}`);
        const own = Math.max(0, ...gensOf(stage, isOurs));
        if (lease !== null && !isOurs(lease.run) && lease.gen > own && !isOver(lease.run))
          unfenced.push(`${name} took away the lease of run ${lease.run.id}.${lease.run.attempt}`);
        return asked("git.deleteRef")(params);
      },
    },
    shelf: {
      ...shelf,
      put: (...args) => {
        look = null;
        return shelf.put(...args);
      },
    },
  };
}

function gensOf({ refs }: Stage, isOurs: (run: RunRef) => boolean): readonly number[] {
  return [...refs.refs.keys()].flatMap((ref) => {
    const lease = leaseAt(refs, ref);
    return lease !== null && isOurs(lease.run) ? [lease.gen] : [];
  });
}
