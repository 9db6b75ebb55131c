import { approvalOf } from "../session/approvals.ts";
import type { EffectClass } from "../session/event.ts";
import { type Decision, type PlannedCall, texts } from "./decide.ts";
import type { AskedCall, End } from "./end.ts";
import type { Refusals } from "./facts.ts";
import type { Story } from "./story.ts";

/** Whether a call may run: at once, once a person has allowed it, or not at all. `why` is told to whom it concerns. */
export type Policy = (call: {
  readonly tool: string;
  readonly input: unknown;
  readonly class: EffectClass;
}) =>
  | { readonly kind: "allow" }
  | { readonly kind: "approval"; readonly why: string }
  | { readonly kind: "refuse"; readonly why: string };

/** Calls of the tools that the configuration lists wait for a person; reads never do. */
export function policyOf({ approve }: { readonly approve: readonly string[] }): Policy {
  return ({ tool, class: effect }) =>
    effect !== "read" && approve.includes(tool)
      ? { kind: "approval", why: `the configuration lists ${tool} under approve` }
      : { kind: "allow" };
}

/** The decision with what policy and people say against its calls: where one may not run, none does. */
export function withRefusals(decision: Decision, policy: Policy, refusals: Refusals): Decision {
  const why = (call: PlannedCall): string | null => call.refusal ?? refusalOf(call, policy, refusals);
  if (decision.calls.every((call) => why(call) === null)) return decision;
  const calls = decision.calls.map((call) => ({ ...call, refusal: why(call) ?? texts.otherRefused }));
  return { ...decision, calls };
}

function refusalOf(call: PlannedCall, policy: Policy, refusals: Refusals): string | null {
  const allowed = policy(call);
  if (allowed.kind === "refuse") return `Not executed: ${allowed.why}`;
  if (!Object.hasOwn(refusals, call.id)) return null;
  const refusal = refusals[call.id];
  return refusal?.kind === "denied" ? `Not executed: ${refusal.by} denied it.` : texts.abandoned;
}

/**
 * Asks for each approval that a batch still needs, once, and returns the end of a run that has to wait for one. Null
 * when every call may run. An approval is one of this very call: of its id, its tool and its arguments.
 */
export async function askApproval(
  calls: readonly PlannedCall[],
  { journal, policy }: { readonly journal: Story; readonly policy: Policy },
): Promise<End | null> {
  if (calls.some(({ refusal }) => refusal !== null)) return null;
  const asked: AskedCall[] = [];
  for (const call of calls) {
    const allowed = policy(call);
    if (allowed.kind !== "approval") continue;
    const { id, tool } = call;
    const text = JSON.stringify(call.input);
    const stored = await journal.store(text, { json: true });
    const before = approvalOf(journal.state.approvals, { id, tool, arguments: stored });
    if (before === null) {
      await journal.append({ type: "approval.requested", id, tool, arguments: stored, why: allowed.why });
    }
    if (before?.status !== "granted") asked.push({ id, tool, arguments: text, why: allowed.why });
  }
  return asked.length === 0 ? null : { kind: "approval", calls: asked };
}
