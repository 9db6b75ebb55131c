import { getState, saveState } from "@actions/core";

/** What `main` leaves for `post`, which runs as a process of its own, also after `main` was killed. */
const names = ["session", "home", "pid", "ended"] as const;
export type Kept = {
  /** The session that is open. */
  readonly session: string;
  /** The directory of this run on this machine; absolute. */
  readonly home: string;
  /** The process of `main`. */
  readonly pid: string;
  /** Once `main` has reported how it ended: `told` where the session's comment says so, else the ending as JSON. */
  readonly ended: string;
};

/** Kept at once: the runner reads the file when the step is over, however it ended. The last value of a name counts. */
export function keepForPost(name: keyof Kept, value: string): void {
  saveState(name, value);
}

/** In `post`: what `main` kept. What it did not come to is null. */
export function keptByMain(): { readonly [Name in keyof Kept]: string | null } {
  const [session = null, home = null, pid = null, ended = null] = names.map((name) => getState(name) || null);
  return { session, home, pid, ended };
}
