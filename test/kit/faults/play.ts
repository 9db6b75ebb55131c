import { setImmediate as nextTurn } from "node:timers/promises";
import type { End } from "../../../src/loop/end.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { promptHash } from "../model/prefix.ts";
import type { Case, Step } from "./case.ts";
import { startOfTime, type VirtualClock, virtualClock } from "./clock.ts";
import type { Whole } from "./history.ts";
import { type Facts, type Predicted, predict } from "./oracle.ts";
import type { FaultServer, Planned, Session } from "./server.ts";
import { type Left, openStage, plenty, type Stage } from "./stage.ts";
import { told } from "./steps.ts";
import { streamOf, text } from "./streams.ts";

export type Judged = {
  readonly name: string;
  readonly row: string;
  readonly hung: boolean;
  /** What did not come out as predicted; empty when all did. */
  readonly wrong: readonly string[];
  readonly toolsFromIncomplete: number;
  readonly invalidRequests: number;
};

const summary = told(streamOf({ content: [text("Looked at the parser.")] }));

/** Turns of the event loop without an end that are taken for a hang; a session needs some hundreds. */
const turnsMax = 60_000;
/** Far beyond every deadline of a session, ms. */
const elapsedMax = 7 * 24 * 3_600_000;

type Played = {
  readonly session: Session;
  readonly clock: VirtualClock;
  readonly stage: Stage;
  /** Null when it did not end. */
  readonly end: End | Error | null;
  /** Monotonic ms. */
  readonly endedMs: number;
};

export async function play(one: Case, server: FaultServer): Promise<Judged> {
  const first = await playSteps(one.steps, one, server, null);
  const left = one.dies === undefined ? null : deadAt(first.stage.left(), one.dies);
  const resumed =
    left === null ? [] : [await playSteps(one.dies?.answers ?? [], one, server, { left, first })];
  const played = [first, ...resumed];
  const wrong = played.flatMap((part, i) =>
    judge(one, part, i === 0 || left === null ? null : { left, first }),
  );
  const invalid = played.flatMap(({ session }) => session.invalid);
  return {
    name: one.name,
    row: one.row,
    hung: played.some(({ end }) => end === null),
    wrong: [...wrong, ...invalid.map((why) => `a request is not valid: ${why}`)],
    toolsFromIncomplete: played.reduce((sum, { stage }) => sum + stage.early.length, 0),
    invalidRequests: invalid.length,
  };
}

async function playSteps(
  steps: readonly Step[],
  { budget, summaries = [summary] }: Case,
  server: FaultServer,
  resumed: Resumed | null,
): Promise<Played> {
  const clock = virtualClock();
  const session = server.begin(steps.map(plannedBy), {
    summaries: summaries.map(plannedBy),
    clock,
    before: resumed === null ? [] : receivedBy(resumed),
  });
  const stage = await openStage({ server, session, clock }, { budget, left: resumed?.left ?? null });
  const end = await drive(stage.run(), { clock, session, retries: stage.retries });
  const endedMs = clock.elapsed();
  await settle(session, clock);
  return { session, clock, stage, end, endedMs };
}

/** What the run that died has received; of what came then the next one knows nothing. */
function receivedBy({ left, first }: Resumed): readonly Whole[] {
  return first.session.whole.slice(0, left.log.filter(({ type }) => type === "reply.received").length);
}

function plannedBy({ delivery, meaning }: Step): Planned {
  if (meaning.kind !== "taken") return { delivery, whole: null };
  return { delivery, whole: { content: meaning.content, paused: meaning.next === "paused" } };
}

/** The log as a run left it that died behind one of its records. */
function deadAt({ log, files }: Left, { type, nth }: NonNullable<Case["dies"]>): Left {
  const places = log.flatMap((event, i) => (event.type === type ? [i] : []));
  const last = places[nth - 1];
  if (last === undefined) throw new Error(`the log has ${places.length} records ${type}, not ${nth}`);
  const claimed: SessionEvent = {
    type: "run.claimed",
    gen: 2,
    run: { id: "2", attempt: 1, job: "agent" },
    head: null,
  };
  return { log: [...log.slice(0, last + 1), claimed], files };
}

/** Moves time whenever only time is waited for. Null when the session does not end. */
async function drive(
  run: Promise<End>,
  { clock, session, retries }: Pick<Played, "clock" | "session"> & { readonly retries: () => boolean },
): Promise<End | Error | null> {
  let ended: End | Error | null = null;
  run.then(
    (end) => {
      ended = end;
    },
    (error: unknown) => {
      ended = error instanceof Error ? error : new Error(String(error));
    },
  );
  let seen = "";
  let quiet = 0;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    await nextTurn();
    if (ended !== null) return ended;
    const now = `${session.requests.length} ${session.summaries.length} ${session.written()} ${clock.asked()}`;
    quiet = now === seen ? quiet + 1 : 0;
    seen = now;
    const due = clock.nextDue();
    if (quiet < 3 || due === null || !(retries() || session.waits())) continue;
    if (due > elapsedMax) return null;
    clock.moveTo(due);
    quiet = 0;
  }
  return null;
}

/** Gives what is still open the time that a client may take to hang up. */
async function settle(session: Session, clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 200 && session.held() > 0; turn += 1) {
    await nextTurn();
    const due = clock.nextDue();
    if (turn === 100 && due !== null) clock.moveTo(due);
  }
}

type Resumed = { readonly left: Left; readonly first: Played };

function judge(
  one: Case,
  { end, endedMs, session, stage }: Played,
  resumed: Resumed | null,
): readonly string[] {
  if (end === null) return ["it does not end"];
  if (end instanceof Error) return [`it throws: ${end.message}`];
  const wrong: string[] = [];
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) === JSON.stringify(wanted)) return;
    wrong.push(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  };
  const predicted = predictedFor(one, resumed);
  expect("requests", session.requests.length, predicted.requests);
  expect("requests for a summary", session.summaries.length, predicted.summaries);
  expect("the end", end.kind, predicted.end);
  expect("answers that hold their connection", session.held(), 0);
  expect("waits", stage.waits, predicted.waits);
  expect("ms from the first request to the end", endedMs, predicted.elapsedMs);
  expect("calls that ran", stage.ran, predicted.ran);
  if (end.kind === "provider") {
    const { retryAtMs } = end;
    expect(
      "ms to the time to come back",
      retryAtMs === null ? null : retryAtMs - startOfTime - endedMs,
      predicted.comeBackMs,
    );
    if (end.reason.includes("CANARY")) wrong.push("the reason repeats the key");
  }
  if (JSON.stringify(stage.left().log).includes("CANARY")) wrong.push("the log holds the key");
  if (resumed !== null && !asksTheSame(session, resumed))
    wrong.push("the resumed run asks for something else");
  return wrong;
}

function predictedFor(one: Case, resumed: Resumed | null): Predicted {
  const budgetMs = (one.budget?.minutes ?? plenty.minutes) * 60_000;
  if (resumed === null) {
    return {
      ...predict(
        one.steps.map(({ meaning }) => meaning),
        { budgetMs },
      ),
      ...one.predicted,
    };
  }
  const answers = one.dies?.answers ?? [];
  return predict(
    answers.map(({ meaning }) => meaning),
    { budgetMs, ...leftIn(resumed.left.log) },
  );
}

/** What counts on in the next run: requests of the open turn, cut and paused replies in a row, summaries. */
function leftIn(log: readonly SessionEvent[]): Facts {
  const ends = log.flatMap((event) => (event.type === "turn.ended" ? [event.next] : []));
  const open = log.slice(log.findLastIndex(({ type }) => type === "turn.ended") + 1);
  const inARow = (next: string) => ends.length - 1 - ends.findLastIndex((end) => end !== next);
  return {
    tries: open.filter(({ type }) => type === "reply.requested").length,
    cuts: inARow("truncated"),
    pauses: inARow("paused"),
    summaries: log.filter(({ type }) => type === "context.compacted").length,
  };
}

/** Whether the first request of a resumed run is the one that the dead run made, or would have made. */
function asksTheSame({ requests }: Session, { left, first }: Resumed): boolean {
  const [asked] = requests;
  if (asked === undefined) return true;
  const made = left.log.filter(({ type }) => type === "reply.requested").length;
  const last = left.log.findLast(({ type }) => type !== "run.claimed");
  const isNext = last?.type === "turn.ended" || last?.type === "context.compacted";
  const then = first.session.requests[isNext ? made : made - 1];
  return then !== undefined && promptHash(then) === promptHash(asked);
}
