import type { Host } from "../delivery/host.ts";
import type { Identity } from "../session/event.ts";
import type { State } from "../session/state.ts";

/** Check 10: the branch that the work goes to is where we left it. Null when it is, else a sentence. */
export async function whyMoved(identity: Identity, state: State, host: Host): Promise<string | null> {
  const { session, thread, baseRef, baseSha } = identity;
  const branch = state.effects[`${session}/branch`];
  const expected = branch?.status === "done" ? branch.detail : baseSha;
  if (thread?.kind === "pull-request") {
    const now = await host.thread(thread.number);
    if (now?.head == null) return `pull request #${thread.number} is gone`;
    if (now.head.sha === expected) return null;
    return `${baseRef} is at ${now.head.sha}, and this session left it at ${expected}; start again on the new head`;
  }
  return null;
}
