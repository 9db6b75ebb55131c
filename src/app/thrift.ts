import type { Allowance } from "../delivery/host.ts";

const seldomMs = 10 * 60_000;

/**
 * `ms` while half of what the host lets us ask is left, then ever longer, up to ten minutes. A job token has 1,000
 * requests an hour for all runs of a repository together.
 */
export function stretched(ms: number, { left }: Allowance): number {
  return left >= 0.5 ? ms : Math.min(seldomMs, Math.round((ms * 0.5) / left));
}

/** Whether what is left is needed for the work itself. */
export function isScarce({ left }: Allowance): boolean {
  return left < 0.1;
}
