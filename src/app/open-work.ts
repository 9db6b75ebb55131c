import { remainingMs, spentOf } from "../loop/budget.ts";
import { imagesHeld } from "../loop/context.ts";
import type { Budget } from "../session/event.ts";
import type { OpenJournal } from "../session/open-journal.ts";
import type { Shipped } from "../session/ship.ts";
import { openShipper } from "../session/shipper.ts";
import { openBaseline } from "./baseline.ts";
import { openChangedSetup } from "./changed-setup.ts";
import { openEars } from "./ears.ts";
import { effectTools } from "./effect-tools.ts";
import { type Ended, endWork } from "./end-work.ts";
import { interrupted } from "./interrupted.ts";
import type { Means } from "./means.ts";
import { type Outcome, sentenceOf } from "./outcome.ts";
import { makeReady, type Ready } from "./ready.ts";
import { settle } from "./settle.ts";
import { openBoard } from "./status.ts";
import { stillWaiting, waitForPeople } from "./wait.ts";
import type { Work } from "./work.ts";

/**
 * What a started and a resumed session have in common once the log is open and claimed: the claim leaves the machine
 * while the workspace is made ready, the comment is made in the background, then the work is driven to its end.
 */
export async function carryOn(
  parts: Pick<Work, "means" | "identity" | "hold" | "ground" | "workspace" | "config" | "journal" | "story">,
  options: {
    readonly budget: Budget;
    readonly last: Shipped | null;
    readonly runs: readonly string[];
    readonly notes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<Outcome> {
  const { means, identity, journal } = parts;
  const { budget } = options;
  const unsaved = new AbortController();
  const shipper = openShipperFor(parts, options.last, unsaved);
  const board = openBoard(identity, {
    means,
    state: () => journal.state,
    runs: options.runs,
    notes: options.notes,
  });
  const system = await systemOf(journal);
  using ears = openEars(identity, {
    means,
    state: () => journal.state,
    held: () => imagesHeld(parts.story.context),
  });
  const signal = AbortSignal.any([options.signal, ears.stopped]);
  await using baseline = openBaseline(parts, { signal });
  await using changedSetup = openChangedSetup(parts);
  const work: Work = { ...parts, system, shipper, board, ears, baseline, changedSetup };
  means.opened(identity.session);
  means.limit(Math.max(0, remainingMs(budget, spentOf(journal.state, 0))));
  // The first shipment carries the claim and the comment's intent; both are on their way while the place is made.
  const shipped = Promise.withResolvers<unknown>();
  shipped.promise.catch(() => undefined);
  const ship = async (): Promise<void> => {
    const shipping = shipper.ship();
    shipped.resolve(shipping);
    await shipping;
  };
  const opening = board.open({ ...effectTools(work), shipped: ship });
  if (identity.thread === null) shipped.resolve(shipper.ship());
  const waiting = await stillWaiting(work);
  if (waiting !== null) {
    await opening;
    return waitForPeople(work, waiting);
  }
  const [ready, forbidden] = await Promise.all([makeReady(work, { signal }), whyForbidden(parts)]);
  if (ready.kind === "refused") {
    await opening;
    return endWork(work, notReady(ready.code, ready.why, work));
  }
  await using room = ready.room;
  if (forbidden !== null) {
    await opening;
    return endWork(work, { kind: "suspended", reason: "permission", detail: forbidden });
  }
  baseline.begin(room);
  board.sandbox(room.sandbox);
  board.say("working");
  const { promise } = shipped;
  return await settle({ ...work, room }, { budget, shipped: promise, unsaved: unsaved.signal, signal });
}

/** What the job may not do at the end is said before the model is asked anything. */
async function whyForbidden({ means, identity }: Pick<Work, "means" | "identity">): Promise<string | null> {
  const { thread } = identity;
  const opensNone = thread?.kind === "pull-request" || thread?.kind === "fork";
  if (opensNone || means.orders.publish === "branch") return null;
  const why = await means.host.pullRequest.forbidden(identity.baseRef);
  if (why === null) return null;
  return `GitHub does not let this job open pull requests: ${why}. Add that line to the permissions of the job, then resume.`;
}

function openShipperFor(
  { means, ground, workspace, journal }: Pick<Work, "means" | "ground" | "workspace" | "journal">,
  last: Shipped | null,
  unsaved: AbortController,
) {
  const { onUnsaved, shipSeconds } = means.orders;
  const then =
    onUnsaved === "stop"
      ? "The run stops, as the input on-unsaved says"
      : "The work goes on; the input on-unsaved can stop it instead";
  return openShipper({
    journal,
    files: ground.files,
    shipping: shippingOf(means, workspace.objects.pack),
    last,
    shipSeconds,
    // The time limit ends the work, and what was done has to be stored after it.
    signal: means.cancelled,
    onUnshipped: (why) => {
      const lost = `The session could not be stored, so it cannot be resumed elsewhere: ${why}`;
      means.warn(`${sentenceOf(lost)} ${then}.`);
      if (onUnsaved === "stop") unsaved.abort(new Error(why));
    },
  });
}

function shippingOf(means: Means, pack: Work["workspace"]["objects"]["pack"]) {
  const { shelf, key, run, clock } = means;
  const { id, attempt, job, workflow } = run;
  return { shelf, key, run: { id, attempt, job }, workflow, clock, nonce: () => means.bytes(12), pack };
}

async function systemOf(journal: OpenJournal): Promise<string> {
  const { system } = journal.state;
  if (system === null) throw new Error("the log does not hold a system prompt");
  return journal.load(system);
}

/**
 * A failed setup may pass tomorrow, and another machine may hold the files or the sandbox: what was done is kept for
 * it. Where nothing was done the run is refused, and there is no session to go on with.
 */
function notReady(
  code: Extract<Ready, { kind: "refused" }>["code"],
  why: string,
  { means, ears, journal }: Pick<Work, "means" | "ears" | "journal">,
): Ended {
  switch (code) {
    case "cancelled":
      return interrupted({ means, ears });
    case "setup-failed":
      return { kind: "suspended", reason: code, detail: why };
    case "not-restored":
      return { kind: "suspended", reason: "workspace", detail: `The files could not be restored: ${why}` };
    case "sandbox":
    case "workspace":
      if (journal.state.turn.number > 0) return { kind: "suspended", reason: code, detail: why };
      return { kind: "ended", outcome: "refused", reason: code, detail: why };
  }
}

export function unleasedNote(why: string | null): readonly string[] {
  if (why === null) return [];
  return [
    `No lease could be written (${why}), so only one branch and one pull request are promised, not one run at a time.`,
  ];
}
