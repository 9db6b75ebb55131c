// What must hold when a seed has been played, said in sentences; none when it held.
import { memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import { markerOf } from "../../../src/delivery/marker.ts";
import type { EventRecord } from "../../../src/session/event.ts";
import { findSession } from "../../../src/session/find.ts";
import { lastEvent } from "../../../src/session/reader.ts";
import { type SealKey, unsealShipment } from "../../../src/session/shipment.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { repositoryId, type Stage, session, topic } from "./scene.ts";

/** The calls that a shipment's range of the log holds with a result of their own. */
export function settledIn(bytes: Uint8Array, key: SealKey): readonly string[] {
  const opened = unsealShipment(bytes, { key, repositoryId, session });
  if (opened.kind === "refused") throw new Error(`a shipment does not open: ${opened.why}`);
  const log = opened.entries.find(({ name }) => name === "log")?.bytes ?? new Uint8Array();
  const lines = Buffer.from(log)
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { event } = JSON.parse(line) as EventRecord;
    return event.type === "call.settled" ? [event.id] : [];
  });
}

export async function judge(
  stage: Stage,
  ends: readonly string[],
  { died, cut }: { readonly died: number; readonly cut: number },
) {
  const { github, mode, key, scheduler, repeated, unfenced, outrun } = stage;
  const marker = markerOf(key, session, "comment");
  const comments = github.comments.filter(({ body }) => body.includes(marker)).length;
  const pullRequests = github.pulls.length;
  const branches = [...github.branches.keys()].filter((name) => !["main", topic].includes(name)).length;
  const published = stage.onPull ? stage.pushed.length : pullRequests;
  // A run that ends by an error leaves the session as one that dies, and so does one whose end comes too late.
  const broken = died + cut + ends.filter((end) => end.startsWith("failed")).length;
  const refused = ends.at(-1) === "refused/crash-loop" && broken >= 3;
  const stored = await storedEnd(stage);
  const finished = published === 1 && (mode === "unleased" || stored === "ended");
  const wrong: string[] = [];
  if (pullRequests > 1) wrong.push(`${pullRequests} pull requests`);
  if (branches > 1) wrong.push(`${branches} branches`);
  if (stage.pushed.length > 1) wrong.push(`${stage.pushed.length} pushes`);
  if (stage.onPull && branches + pullRequests > 0) wrong.push("something beside the pull request");
  // Making a comment is the one effect that GitHub does not refuse the second time.
  const commentsMax = 1 + outrun.filter((what) => what.endsWith("the comment")).length;
  if (mode !== "unleased" && comments > commentsMax) wrong.push(`${comments} status comments`);
  const silent = github.comments.filter(({ body }) => body.includes(marker) && !body.includes("/pull/"));
  if (mode === "leased" && !stage.lossy && !refused && pullRequests > 0 && finished && silent.length > 0)
    wrong.push("the comment does not tell of the pull request");
  if (mode === "leased" && repeated.length > 0) wrong.push(...new Set(repeated));
  if (!finished && !refused) wrong.push(`not finished: ${stored}; ${ends.join(", ")}`);
  const opened = ends.filter((end) => /^pull-request\/(opened|pushed)$/.test(end)).length;
  if (mode === "leased" && !stage.lossy && opened > 1) wrong.push("it was gone on with after its end");
  wrong.push(...unfenced);
  if (ends.includes("stands still")) wrong.push("a run waits for something that never comes");
  const repeatedCalls = mode === "leased" ? repeated.length : 0;
  return {
    pullRequests,
    branches,
    pushes: stage.pushed.length,
    comments,
    repeatedCalls,
    repeats: repeated,
    unfenced: unfenced.length,
    outrun: outrun.length,
    finished,
    refused,
    trace: scheduler.trace,
    wrong,
  };
}

/** What the newest chain on the shelf says: the status of a log that verifies, or why there is none. */
async function storedEnd({ shelves, key }: Stage): Promise<string> {
  const runs = [...new Set(shelves.stored.map(({ run }) => run))];
  const { signal } = new AbortController();
  const shelf = memoryShelf({ run: "0", shelves });
  const found = await findSession(session, { shelf, runs, key, repositoryId, claims: [], signal });
  if (found.kind === "refused") return `${found.code}: ${found.why}`;
  const checked = verifyLog(found.session, { witnessed: [] });
  if (checked.kind === "damage") return `${checked.code}: ${checked.why}`;
  return lastEvent(checked.log.bytes, "session.ended") ? "ended" : "open";
}
