import type { Digest } from "../base/hash.ts";
import type { Payload, SessionEvent } from "./event.ts";
import { digestIn } from "./payload.ts";

export type ApprovalStatus = "requested" | "granted" | "denied";

/**
 * By id: what was asked for and not used yet. A denied one is used when its call is settled as not run. Those of setup
 * are never used up: what they are about is named by their id, and is the same whenever it comes again.
 */
export type Approvals = Readonly<Record<string, Approval>>;

export type Approval = {
  readonly tool: string;
  /** Of the arguments' JSON text: what a person allowed is this very call. */
  readonly arguments: Digest;
  readonly status: ApprovalStatus;
};

/** What stands as the tool of an approval that is no call of the model's: to run setup on what the change installs. */
export const setupTool = "setup";

/** Its id names the commands, their variables and the files that setup is to run on, so that nothing of it dies with a run. */
export function isOfSetup({ tool }: Pick<Approval, "tool">): boolean {
  return tool === setupTool;
}

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

export type ApprovalEvent = Of<
  "approval.requested" | "approval.granted" | "approval.denied" | "approval.abandoned"
>;

export function foldApprovals(approvals: Approvals, event: ApprovalEvent): Approvals {
  const { id } = event;
  switch (event.type) {
    case "approval.requested":
      return {
        ...approvals,
        [id]: { tool: event.tool, arguments: digestIn(event.arguments), status: "requested" },
      };
    case "approval.granted":
      return answered(approvals, id, "granted");
    case "approval.denied":
      return answered(approvals, id, "denied");
    case "approval.abandoned":
      return withoutApprovals(approvals, [id]);
  }
}

export function withoutApprovals(approvals: Approvals, ids: readonly string[]): Approvals {
  return Object.fromEntries(Object.entries(approvals).filter(([id]) => !ids.includes(id)));
}

/** What was asked for this very call and stands unused, or null: the same id with other arguments is another call. */
export function approvalOf(
  approvals: Approvals,
  call: { readonly id: string; readonly tool: string; readonly arguments: Payload },
): Approval | null {
  const asked = Object.hasOwn(approvals, call.id) ? approvals[call.id] : undefined;
  if (asked === undefined || asked.tool !== call.tool) return null;
  return asked.arguments === digestIn(call.arguments) ? asked : null;
}

/** An answer to what was not asked, or was answered or abandoned before, is none. */
function answered(approvals: Approvals, id: string, status: ApprovalStatus): Approvals {
  const asked = Object.hasOwn(approvals, id) ? approvals[id] : undefined;
  return asked?.status === "requested" ? { ...approvals, [id]: { ...asked, status } } : approvals;
}
