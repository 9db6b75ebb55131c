import path from "node:path";
import type { SessionId } from "../session/id.ts";

/** Where the command line keeps its sessions. Each has a directory of its own; what they share lies beside them. */
export type LocalPlaces = {
  readonly dir: string;
  /** The session's log, manifest, blobs and lock. */
  readonly home: (session: SessionId) => string;
  /** How the session was begun; not part of it. */
  readonly orders: (session: SessionId) => string;
  /** Stands while the session's files are being written anew from the shelf, and names the run that shelved them. */
  readonly rewriting: (session: SessionId) => string;
  readonly shelf: string;
  readonly leases: string;
  /** What was held back, for a person to apply. */
  readonly patches: string;
  readonly runs: string;
};

/** `given` is `--sessions`, absolute; else the XDG state directory. */
export function localPlaces(
  given: string | null,
  { stateHome, home }: { readonly stateHome: string | undefined; readonly home: string },
): LocalPlaces {
  const state =
    stateHome !== undefined && path.isAbsolute(stateHome) ? stateHome : path.join(home, ".local/state");
  const dir = given ?? path.join(state, "baton");
  return {
    dir,
    home: (session) => path.join(dir, session),
    orders: (session) => path.join(dir, "orders", `${session}.json`),
    rewriting: (session) => path.join(dir, "orders", `${session}.rewriting`),
    shelf: path.join(dir, "shelf"),
    leases: path.join(dir, "leases"),
    patches: path.join(dir, "patches"),
    runs: path.join(dir, "runs"),
  };
}
