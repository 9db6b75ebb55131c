import { objectIn } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { EffectClass, IntendedCall, Payload, Settlement } from "../session/event.ts";
import { eventsOf } from "../session/journal.ts";
import { unlessAborted } from "./abort.ts";
import { texts } from "./decide.ts";
import { type OnLive, subjectOf } from "./live.ts";
import { outputOf } from "./readings.ts";
import type { Seal } from "./seal.ts";
import type { Story } from "./story.ts";
import type { Toolbox, ToolRun } from "./toolbox.ts";

/** `done`: every call has its result. `open`: cancelled while a call that may change files ran; it stays unsettled. */
export type Ran = "done" | "open";

type Work = {
  readonly journal: Story;
  readonly toolbox: Toolbox;
  readonly seal: () => Promise<Seal>;
  readonly intentShipped: () => Promise<void>;
  readonly onLive: OnLive;
};

/**
 * Runs the calls of the open batch that have no result yet: reads that stand together at the same time, all others
 * alone and in order. Throws when the sandbox is lost; what was running then stays open.
 */
export async function runCalls(work: Work, { signal }: { readonly signal: AbortSignal }): Promise<Ran> {
  for (const group of groupsOf(openCalls(work.journal))) {
    const ran = await runGroup(work, group, signal);
    if (ran === "open") return "open";
  }
  return "done";
}

/** Gives every call of the open batch that has no result one that says why it did not run. */
export async function refuseCalls(
  story: Story,
  refusalOf: (id: string) => string,
  status: Settlement = "not-run",
): Promise<void> {
  for (const { id } of openCalls(story)) await settle(story, id, status, refusalOf(id));
}

/** Calls that stand together: consecutive reads, at most `readsAtOnce`, or a single other call. */
export function groupsOf<Call extends { readonly class: EffectClass }>(
  calls: readonly Call[],
): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const joins =
      call.class === "read" && last?.[0]?.class === "read" && last.length < limits.readsAtOnce ? last : null;
    if (joins === null) groups.push([call]);
    else joins.push(call);
  }
  return groups;
}

function openCalls({ state, facts }: Story): readonly IntendedCall[] {
  const open = new Set(state.turn.calls.filter(({ settled }) => !settled).map(({ id }) => id));
  return facts.calls.filter(({ id }) => open.has(id));
}

async function runGroup(work: Work, group: readonly IntendedCall[], signal: AbortSignal): Promise<Ran> {
  const [first] = group;
  if (first === undefined) return "done";
  if (signal.aborted) {
    for (const { id } of group) await settle(work.journal, id, "not-run", texts.cancelled);
    return "done";
  }
  if (first.class === "read") return runReads(work, group, signal);
  return runAlone(work, first, signal);
}

/** One read that is lost stops the others; the loss is told once all of them have come back. */
async function runReads(work: Work, group: readonly IntendedCall[], signal: AbortSignal): Promise<Ran> {
  const together = new AbortController();
  const both = AbortSignal.any([signal, together.signal]);
  const results = await Promise.allSettled(
    group.map(async (call) => {
      try {
        const run = await execute(work, call, both);
        await settleRun(work.journal, call.id, run, null);
      } catch (cause) {
        together.abort();
        throw cause;
      }
    }),
  );
  const lost = results.find((result) => result.status === "rejected");
  if (lost !== undefined) throw lost.reason;
  return "done";
}

async function runAlone(work: Work, call: IntendedCall, signal: AbortSignal): Promise<Ran> {
  if (call.class === "external") {
    // With this machine lost, whoever goes on has to know that it may have begun, and that those before it were done.
    await unlessAborted(work.intentShipped(), signal);
    if (signal.aborted) {
      await settle(work.journal, call.id, "not-run", texts.cancelled);
      return "done";
    }
  }
  const run = await execute(work, call, signal);
  // Whatever it did until it was killed is rolled back on resume; there is no time to seal it now.
  const sealed = signal.aborted ? null : await unlessAborted(work.seal(), signal);
  if (sealed === null) return "open";
  if (sealed.kind === "sealed") await settleRun(work.journal, call.id, run, sealed.tree);
  else await settleUnsealed(work.journal, call.id, run, sealed.why);
  return "done";
}

async function execute(work: Work, call: IntendedCall, signal: AbortSignal): Promise<ToolRun> {
  const { journal, onLive } = work;
  const { id, tool } = call;
  const input: unknown = JSON.parse(await journal.load(call.arguments));
  const turn = journal.state.turn.number;
  onLive({ kind: "progress", turn, doing: { kind: "calling", id, tool, subject: subjectOf(input) } });
  const run = await runTool(work, call, input, signal);
  onLive({ kind: "progress", turn, doing: { kind: "called", id, output: run.output } });
  return run;
}

async function runTool(
  { journal: story, toolbox, onLive }: Work,
  call: IntendedCall,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolRun> {
  const checked = toolbox.check(call.tool, input);
  if (checked.kind === "invalid") return failed(`Not executed: ${checked.why}`);
  const attachment = await attachmentOf(story, call.tool, input);
  if (attachment?.kind === "missing") return failed(attachment.why);
  return toolbox.run(
    {
      id: call.id,
      tool: call.tool,
      arguments: checked.arguments,
      attachment: attachment === null ? null : attachment.text,
    },
    { signal, onOutput: (text) => onLive({ kind: "output.delta", id: call.id, text }) },
  );
}

type Attachment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing"; readonly why: string };

/** `read` with a path `output:<call id>` reads what an earlier call printed, whole. */
async function attachmentOf(story: Story, tool: string, input: unknown): Promise<Attachment | null> {
  const path = objectIn(input)["path"];
  if (tool !== "read" || typeof path !== "string" || !path.startsWith("output:")) return null;
  const id = path.slice("output:".length);
  const payload = outputOf(story.readings, id) ?? (await earlierOutput(story, id));
  if (payload === undefined) return { kind: "missing", why: noOutput(id) };
  return { kind: "text", text: await story.load(payload) };
}

/** What a summary stands in place of can still be read: the log holds it. Undefined where no such call was settled. */
async function earlierOutput(story: Story, id: string): Promise<Payload | undefined> {
  if (story.state.context.summary === null) return undefined;
  const events = await eventsOf(story);
  const settled = events.findLast((event) => event.type === "call.settled" && event.id === id);
  return settled?.type === "call.settled" ? (settled.whole ?? settled.output) : undefined;
}

function noOutput(id: string): string {
  return `There is no output of a call ${id}: only those of calls that you can still see are kept.`;
}

function failed(output: string): ToolRun {
  return { status: "error", output, whole: null, plan: null };
}

async function settleRun(
  story: Story,
  id: string,
  run: ToolRun,
  tree: Extract<Seal, { kind: "sealed" }>["tree"] | null,
): Promise<void> {
  const whole = run.whole === null ? null : await story.store(run.whole);
  const output = await storeOutput(story, run, whole);
  await story.append({ type: "call.settled", id, status: run.status, output, whole, tree, plan: run.plan });
}

/** Where a secret is left out of an output the model is told so, or it would take `***` for what stands there. */
async function storeOutput(story: Story, run: ToolRun, whole: Payload | null): Promise<Payload> {
  const output = await story.store(run.output);
  const isWhole = await holds(story, output, run.output);
  if (isWhole && (whole === null || run.whole === null || (await holds(story, whole, run.whole))))
    return output;
  return story.store(`${run.output}\n\n${texts.unmasked}`);
}

/** What is no text in UTF-16 is another text in UTF-8, and no secret. */
async function holds(story: Story, payload: Payload, text: string): Promise<boolean> {
  return (await story.load(payload)).toWellFormed() === text.toWellFormed();
}

/** The files stay as the call left them, but no tree holds them: said to the model, which can remove the cause. */
async function settleUnsealed(story: Story, id: string, run: ToolRun, why: string): Promise<void> {
  const warning =
    `The workspace cannot be saved as it is now: ${why}. ` +
    "Until that is removed, nothing changed since the last saved state can be kept or delivered.";
  const output = run.output.trim() === "" ? warning : `${run.output}\n\n${warning}`;
  await settleRun(story, id, { ...run, status: "error", output }, null);
}

async function settle(story: Story, id: string, status: Settlement, text: string): Promise<void> {
  const output = await story.store(text);
  await story.append({ type: "call.settled", id, status, output, whole: null, tree: null, plan: null });
}
