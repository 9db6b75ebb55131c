import { begunBranch, branchName } from "../delivery/branch.ts";
import type { Host } from "../delivery/host.ts";
import type { Identity } from "../session/event.ts";
import type { State } from "../session/state.ts";
import type { SettledEffect } from "./settle-effects.ts";

/**
 * Check 10: the branch that the work goes to is where we left it, at `baseSha` or at what was delivered last. `settled`
 * is what check 9 found out: a run that died right after it had pushed did not write that down. Null when it is, else a
 * sentence. Throws `HostUnavailable`.
 */
export async function whyMoved(
  identity: Identity,
  { state, settled }: { readonly state: State; readonly settled: readonly SettledEffect[] },
  host: Host,
): Promise<string | null> {
  const { session, thread, baseRef, baseSha } = identity;
  const own = begunBranch(branchName(thread, session), { session, effects: state.effects });
  const effect = settled.find((one) => one.key === own?.key) ?? state.effects[own?.key ?? ""];
  const delivered = effect?.status === "done" ? effect.detail : null;
  if (thread?.kind === "pull-request") {
    const now = await host.thread(thread.number);
    if (now?.head == null) return `pull request #${thread.number} is gone`;
    const expected = delivered ?? baseSha;
    if (now.head.sha === expected) return null;
    return `${baseRef} is at ${now.head.sha}, and this session left it at ${expected}; start again on the new head`;
  }
  if (delivered === null || own === null) return null;
  // Going on would bring back what somebody took away, or publish beside what somebody added.
  const { name } = own;
  const now = await host.branch.find(name);
  if (now?.sha === delivered) return null;
  const where = now === null ? "is gone" : `is at ${now.sha}`;
  return `the branch ${name} ${where}, and this session left it at ${delivered}; start anew with a new command`;
}
