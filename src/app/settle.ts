import { limits } from "../base/limits.ts";
import { failingChecks } from "../delivery/failing-checks.ts";
import { policyOf } from "../loop/approval.ts";
import { textOf } from "../loop/blocks.ts";
import { exhausted, spentOf } from "../loop/budget.ts";
import type { End } from "../loop/end.ts";
import { acceptInput } from "../loop/input.ts";
import { runLoop } from "../loop/loop.ts";
import type { Seal } from "../loop/seal.ts";
import type { Budget } from "../session/event.ts";
import { eventsOf } from "../session/journal.ts";
import { type Ended, endWork } from "./end-work.ts";
import { gateEnd, isOutOfRounds, redRounds } from "./gate-end.ts";
import { offerRefused } from "./held-patch.ts";
import { interrupted } from "./interrupted.ts";
import { type Judgement, judgeWork } from "./judge-work.ts";
import { budgetInput, type Outcome, sentenceOf } from "./outcome.ts";
import { publish } from "./published.ts";
import { waitForPeople } from "./wait.ts";
import type { ReadyWork } from "./work.ts";

// Current models think before they answer, and what they think counts as output.
const maxTokens = 32_000;
const maxTokensRaised = 64_000;

type Options = {
  readonly budget: Budget;
  readonly shipped: Promise<unknown>;
  /** Aborted when the session cannot be stored and nothing more is to be asked of the model then. */
  readonly unsaved: AbortSignal;
  readonly signal: AbortSignal;
};

/**
 * Drives an open session to its end: the model works until it says that it is done, the gate judges, its findings go
 * back to the model, and what passes is published.
 */
export async function settle(work: ReadyWork, options: Options): Promise<Outcome> {
  // What a run found that died before it could say so is found again, without asking the model once more.
  const before = await eventsOf(work.journal);
  let judgesAgain = isOutOfRounds(before);
  if (before.some((event) => event.type === "reply.received" && event.masked)) work.board.note(maskedNote);
  // Bounded by the rounds of the gate, which count anew only with a person's words, and by the budget.
  for (;;) {
    const end = judgesAgain ? finishedBefore(work) : await loop(work, options);
    judgesAgain = false;
    if (end.kind !== "finished") return stop(end, work, options);
    work.board.say("running the checks");
    const judged = await judgeWork(work, options);
    if (judged.kind === "passed") {
      if (!(await saidMeanwhile(work, options))) return endWork(work, await publish(work, judged, end.text));
      work.board.say("working on what was said meanwhile");
      continue;
    }
    if (judged.kind === "needs-approval")
      return waitForPeople(work, { kind: "approval", calls: [judged.call] });
    const ended = await afterGate(judged, work, options, end.text);
    if (ended !== null) return endWork(work, ended);
    work.board.say("working on what the checks found");
  }
}

function stop(end: Exclude<End, { kind: "finished" }>, work: ReadyWork, options: Options): Promise<Outcome> {
  if (end.kind === "asked" || end.kind === "approval") return waitForPeople(work, end);
  return endWork(work, stopped(end, work, options));
}

function finishedBefore({ story }: ReadyWork): End {
  return { kind: "finished", text: textOf(story.facts.reply?.content ?? []) };
}

/**
 * Whether somebody spoke while the checks ran, which is then taken in: once it is published or given up, nobody listens
 * any more. What the budget leaves no room to work on is left to the job of its own.
 */
async function saidMeanwhile({ ears, story }: ReadyWork, { budget }: Options): Promise<boolean> {
  if (exhausted(budget, spentOf(story.state, 0)) !== null) return false;
  const { inputs } = story.state;
  const said = (await ears.heard("end")).filter(({ id }) => !inputs.includes(id));
  for (const input of said) await acceptInput(story, input);
  return said.length > 0;
}

function loop(work: ReadyWork, { budget, shipped, unsaved, signal }: Options): Promise<End> {
  const { means, story, room, workspace, ground, shipper, board, ears, system } = work;
  return runLoop(
    {
      journal: story,
      model: means.model,
      toolbox: room.toolbox,
      seal: async (): Promise<Seal> => {
        const sealed = await workspace.seal(ground.dirs.work);
        return sealed.kind === "sealed" ? sealed : { kind: "refused", why: `${sealed.path}: ${sealed.why}` };
      },
      prices: means.prices,
      clock: means.clock,
      random: means.random,
      request: { model: means.orders.model, system, tools: means.tools, maxTokens, maxTokensRaised },
      budget,
      shipped: async () => {
        await shipped;
      },
      intentShipped: async () => {
        await shipper.ship();
      },
      turnEnded: async () => {
        board.say("working");
        await shipper.turnEnded();
      },
      policy: policyOf(work.config),
      listen: ears.listen,
      heard: ears.heard,
      masked: () => board.note(maskedNote),
      leftOut: (images) => board.note(unreadNote(images)),
      changed: async () => {
        const { setupTree, tree } = story.state;
        if (setupTree === null || tree === null) return [];
        return (await workspace.diff(setupTree, tree)).map(({ path, status }) => `${path} (${status})`);
      },
    },
    {
      signal: AbortSignal.any([signal, unsaved]),
      onLive: (live) => {
        means.onLive(live);
        board.watch(live);
      },
    },
  );
}

const maskedNote =
  "The model put a secret of this run into a call, which was therefore not run. Where it found the secret others may find it too: replace it where it was issued.";

function unreadNote(images: number): string {
  if (images === 1) return "An image is not shown to the model: its provider could not read it.";
  return `${images} images are not shown to the model: its provider could not read all of them. Those that are whole can be given again.`;
}

/** Null when the findings go back to the model. */
async function afterGate(
  judged: Exclude<Judgement, { kind: "passed" | "needs-approval" }>,
  work: ReadyWork,
  options: Options,
  said: string,
): Promise<Ended | null> {
  switch (judged.kind) {
    case "no-change":
      return {
        kind: "ended",
        outcome: "no-change",
        reason: "no-change",
        detail: `The work is finished and no file was changed, so there is nothing to publish.${said.trim() === "" ? "" : ` The model says:\n\n${said}`}`,
      };
    case "cancelled":
      return interrupted(work);
    case "failed": {
      work.board.evidence(judged.evidence);
      const rounds = redRounds(await eventsOf(work.journal));
      if (rounds < limits.gateRoundsMax || (await saidMeanwhile(work, options))) return null;
      const { mask, orders } = work.means;
      if (judged.findings.length > 0)
        work.board.note(mask(failingChecks(judged.findings, orders.triggerPhrase)));
      return { ...gateEnd(judged, rounds), ...(await offerRefused(work, judged.cause)) };
    }
  }
}

function stopped(
  end: Exclude<End, { kind: "finished" | "asked" | "approval" }>,
  work: ReadyWork,
  { signal, unsaved }: Options,
): Ended {
  switch (end.kind) {
    case "cancelled": {
      if (signal.aborted || !unsaved.aborted) return interrupted(work);
      const detail =
        "The session could not be stored, and the input on-unsaved of the workflow says to stop then.";
      return { kind: "suspended", reason: "unsaved", detail };
    }
    case "exhausted": {
      const detail = `The budget of ${end.budget} is used up. Raise the input ${budgetInput(end.budget)} of the workflow, then go on.`;
      return { kind: "suspended", reason: end.budget, detail };
    }
    case "provider": {
      const when =
        end.retryAtMs === null ? "when that is put right" : `after ${new Date(end.retryAtMs).toISOString()}`;
      const detail = `${sentenceOf(`The model's provider cannot go on: ${end.reason}`)} Resume ${when}.`;
      return { kind: "suspended", reason: "provider", detail };
    }
    case "stuck":
      return { kind: "suspended", reason: "stuck", detail: end.why };
    case "declined":
      return {
        kind: "ended",
        outcome: "refused",
        reason: "declined",
        detail: "The model declined the task.",
      };
    case "unknown":
      return { kind: "suspended", reason: "unknown-reply", detail: end.why };
  }
}
