// Whether a session that died on the way ended as one that did not: judged from outside, by what GitHub, the model and
// the commands themselves saw.
import { createHash } from "node:crypto";
import { shipmentsOf } from "../stored.ts";
import type { Asked } from "../world.ts";
import { commandsDone, type LogRecord, recordsStored } from "./kept.ts";
import type { KillStage } from "./stage.ts";
import { labelIn, type Ran, ranIn, storyEnd } from "./story.ts";

/** What a death left behind, and how much had been seen of the outside when it did. */
export type Kept = { readonly records: readonly LogRecord[]; readonly linesSeen: number };

export type Case = {
  readonly asked: Asked;
  readonly session: string;
  readonly label: string;
  /** Of everything that counts on, the first that belongs to this case. */
  readonly from: { readonly exchanges: number; readonly requests: number };
};

export type Judgement = {
  /** What does not hold, one sentence each; empty is what is wanted. */
  readonly wrong: readonly string[];
  readonly lostRecords: number;
  readonly repeatedEffects: number;
};

export async function judge(stage: KillStage, one: Case, kept: readonly Kept[]): Promise<Judgement> {
  const effects = repeatedEffects(stage, one, kept);
  const records = await judgeLog(stage, one, kept);
  const wrong = [
    ...judgeGitHub(stage, one),
    ...(await judgePulls(stage, one)),
    ...judgeRequests(stage, one),
    ...effects,
    ...records.wrong,
  ];
  return { wrong, lostRecords: records.lost, repeatedEffects: effects.length };
}

async function judgePulls({ world: { github } }: KillStage, { session }: Case): Promise<readonly string[]> {
  const pulls = (await github.pulls()).filter(({ head }) => head.ref.includes(session));
  return pulls.length === 1 ? [] : [`${pulls.length} pull requests`];
}

function judgeGitHub({ world: { github } }: KillStage, { asked, session, from }: Case): readonly string[] {
  const wrong: string[] = [];
  const ours = github.comments(asked.issue).filter(({ user }) => user?.login === "github-actions[bot]");
  const said = ours.map(({ body }) => body ?? "");
  if (said.length !== 1) wrong.push(`${said.length} comments of ours: ${said.join("\n---\n")}`);
  else if (!said[0]?.includes("Baton stopped: **pull-request**")) wrong.push(`the comment says ${said[0]}`);
  const leases = github.refs(`refs/agent/${session}/`);
  if (leases.length > 0) wrong.push(`leases are left: ${leases.map(({ name }) => name).join(" ")}`);
  const broken = github.exchanges.slice(from.exchanges).filter(({ problems }) => problems.length > 0);
  for (const { method, path, problems } of broken)
    wrong.push(`broke GitHub's contract: ${method} ${path}: ${problems.join("; ")}`);
  const branches = github.branches().filter((name) => name.includes(session));
  if (branches.length !== 1) wrong.push(`${branches.length} branches`);
  const [branch] = branches;
  return branch === undefined ? wrong : [...wrong, ...judgeTree(github.git("ls-tree", "-r", branch))];
}

/** The same tree as in the end of a run that nothing happens to: every file, and none besides. */
function judgeTree(listed: string): readonly string[] {
  const wanted = Object.entries(storyEnd).map(([path, text]) => `100644 blob ${blobId(text)}\t${path}`);
  const lines = listed.split("\n").filter((line) => line !== "");
  const odd = [
    ...wanted.filter((line) => !lines.includes(line)).map((line) => `the branch lacks ${line}`),
    ...lines.filter((line) => !wanted.includes(line)).map((line) => `the branch holds ${line}`),
  ];
  return odd;
}

function blobId(text: string): string {
  return createHash("sha1")
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest("hex");
}

/** The server refuses what the real API refuses. */
function judgeRequests({ world: { model } }: KillStage, { label, from }: Case): readonly string[] {
  return model.requests
    .slice(from.requests)
    .filter(({ refused, body }) => refused !== undefined && labelIn(body) === label)
    .map(({ refused }) => `the model refused a request: ${JSON.stringify(refused)}`);
}

/** Counted outside Baton: what GitHub was asked to make, and what the commands said when they ran. */
function repeatedEffects(stage: KillStage, one: Case, kept: readonly Kept[]): readonly string[] {
  return [...repeatedCreations(stage, one), ...repeatedCommands(stage, one, kept)];
}

function repeatedCreations({ world }: KillStage, { asked, session, from }: Case): readonly string[] {
  const made = world.github.exchanges
    .slice(from.exchanges)
    .filter(({ method, status }) => method === "POST" && status === 201)
    .map(({ path, requestBody }) => ({ path, body: JSON.stringify(requestBody ?? null) }));
  const counts = {
    comment: made.filter(({ path }) => path.endsWith(`/issues/${asked.issue}/comments`)).length,
    branch: made.filter(
      ({ path, body }) =>
        path.endsWith("/git/refs") && body.includes("refs/heads/") && body.includes(session),
    ).length,
    "pull request": made.filter(({ path, body }) => path.endsWith("/pulls") && body.includes(session)).length,
  };
  return Object.entries(counts).flatMap(([what, times]) =>
    times > 1 ? [`the ${what} was made ${times} times`] : [],
  );
}

function repeatedCommands({ journal }: KillStage, { label }: Case, kept: readonly Kept[]): readonly string[] {
  const ran = journal.lines.map((line, at) => ({ at, ran: ranIn(`${line.label} ${line.detail}`) }));
  const ours = ran.flatMap(({ at, ran }) => (ran?.label === label ? [{ at, ...ran }] : []));
  const replies = ours.map(({ reply, command }) => `${command} of ${reply}`);
  const twice = replies
    .filter((reply, i) => replies.indexOf(reply) !== i)
    .map((reply) => `command ${reply} ran twice`);
  const again = kept.flatMap(({ records, linesSeen }) =>
    commandsDone(records)
      .filter(({ command }: Ran) => ours.some((other) => other.command === command && other.at >= linesSeen))
      .map(({ command }) => `command ${command} ran again after its end was recorded`),
  );
  return [...twice, ...new Set(again)];
}

async function judgeLog(
  { world, journal }: KillStage,
  { session, label }: Case,
  kept: readonly Kept[],
): Promise<{ readonly wrong: readonly string[]; readonly lost: number }> {
  if (shipmentsOf(world, session).length === 0) return { wrong: ["nothing is stored"], lost: 0 };
  const records = await recordsStored(world, session);
  const wrong: string[] = [];
  const hashes = new Set(records.map(({ hash }) => hash));
  const lost = kept.flatMap((one) => one.records.filter(({ hash }) => !hashes.has(hash)));
  if (lost.length > 0)
    wrong.push(`records are lost: ${lost.map(({ event }) => String(event["type"])).join(" ")}`);
  const settled = records.flatMap(({ event }) => (event["type"] === "call.settled" ? [event["id"]] : []));
  if (new Set(settled).size !== settled.length) wrong.push("a call is settled twice");
  const done = new Set(commandsDone(records).map(({ command }) => command));
  if (done.size !== 2) wrong.push(`${done.size} of 2 commands are recorded as done`);
  const ran = new Set(
    journal.lines
      .flatMap(({ label: word, detail }) => ranIn(`${word} ${detail}`) ?? [])
      .filter((one) => one.label === label)
      .map(({ command }) => command),
  );
  if (ran.size !== 2) wrong.push(`${ran.size} of 2 commands ran`);
  return { wrong, lost: lost.length };
}
