// What has to be there when a session has come to its end, and what each run of it may say.
import { markerOf } from "../../../src/delivery/marker.ts";
import { endOf, type Lived } from "./life.ts";
import { endTree, type Scene } from "./scene.ts";

export type Wrong = { readonly kind: "duplicate" | "missing" | "outcome"; readonly what: string };

/** What one run said of its end, against what is there. */
export function judgeEnd(scene: Scene, { end }: Lived): readonly Wrong[] {
  if (end.kind === "died") return [];
  const name = endOf(end);
  if (name.startsWith("failed")) return [outcome(name)];
  if (end.kind === "threw") return [];
  const wrong: Wrong[] = [];
  const said = JSON.stringify(end);
  const { headSha, branch, pullRequest } = end;
  const at = branch === null ? null : headOf(scene, branch);
  if (headSha !== null && at !== headSha)
    wrong.push(outcome(`${name} says that ${branch} is at ${headSha}, and it is at ${at}`));
  if (end.kind === "pull-request" && headSha === null) wrong.push(outcome(`${name} names no commit`));
  if (pullRequest !== null && !scene.github.pullsFrom(scene.branch).includes(pullRequest.number))
    wrong.push(outcome(`${name} names #${pullRequest.number}, which is not there`));
  if (end.kind === "answered" && !/could not be posted/.test(said) && repliesIn(scene).length === 0)
    wrong.push({ kind: "missing", what: `${name} says that it was answered, and there is no reply` });
  if (end.kind === "suspended" && end.session !== null && !end.resumable)
    wrong.push(outcome(`${name} keeps nothing`));
  return wrong;
}

/** What is there in the end. */
export function judgeAll(scene: Scene, lives: readonly Lived[]): readonly Wrong[] {
  const { github, kind, comment } = scene;
  const eyes = github.reactions().filter((one) => one.on === "comment" && one.id === comment);
  const wrong = count(eyes.length, { one: "reaction", min: 0 });
  const isUnposted = lives.some(({ end }) => "detail" in end && end.detail.includes("could not be posted"));
  if (kind === "help")
    return [...wrong, ...count(repliesIn(scene).length, { one: "reply", min: isUnposted ? 0 : 1 })];
  const last = lives.at(-1);
  const end = last === undefined ? "nothing" : endOf(last.end);
  // Who dies at its very last request has ended the session.
  if (!/^(pull-request|patch|ignored)\/|^refused\/ended$/.test(end))
    wrong.push(outcome(`it does not come to an end: ${end}`));
  wrong.push(...judgeBranch(scene), ...judgePulls(scene), ...judgeComments(scene, lives));
  wrong.push(...judgeCheckRuns(scene, lives));
  return wrong;
}

function judgeBranch(scene: Scene): readonly Wrong[] {
  const { github, branch, thread, stage } = scene;
  const own = github.branches().filter((name) => name.startsWith(`agent/${thread}-`));
  const min = scene.kind === "pull" || scene.kind === "fork" ? 0 : 1;
  const wrong = count(own.length, { one: "branch", min, max: min });
  if (scene.kind === "fork") return wrong;
  if (headOf(scene, branch) === null) return wrong;
  const commits = github
    .git("rev-list", `${stage.base.sha}..refs/heads/${branch}`)
    .split("\n")
    .filter(Boolean);
  wrong.push(...count(commits.length, { one: `commit on ${branch}`, min: 1 }));
  if (github.git("rev-parse", `refs/heads/${branch}^{tree}`) !== endTree)
    wrong.push(outcome(`${branch} does not hold what was made`));
  return wrong;
}

function judgePulls({ github, branch, kind }: Scene): readonly Wrong[] {
  const pulls = github.pullsFrom(branch);
  const min = kind === "branch" || kind === "fork" ? 0 : 1;
  return count(pulls.length, { one: "pull request", min, max: min });
}

function judgeCheckRuns({ github, stage, kind }: Scene, lives: readonly Lived[]): readonly Wrong[] {
  const ours = github.checkRuns().filter((run) => run.external_id === `${stage.session}/check-run`);
  // It is only for show: what GitHub refuses or does not answer is said, and not tried again.
  const isTold = lives.some(({ end }) => "report" in end && end.report.includes("There is no check run"));
  const max = kind === "fork" ? 0 : 1;
  return count(ours.length, { one: "check run", min: isTold ? 0 : max, max });
}

function judgeComments(scene: Scene, lives: readonly Lived[]): readonly Wrong[] {
  const { stage, kind } = scene;
  const { key, session } = stage;
  const marker = markerOf(key, session, "comment");
  const bodies = bodiesOf(scene);
  const status = bodies.filter((body) => body.includes(marker));
  // What GitHub refuses to the end stays as it is, and the summary says so.
  const isTold = (what: string): boolean =>
    lives.some(({ end }) => "report" in end && end.report.includes(what));
  const wrong = count(status.length, {
    one: "status comment",
    min: isTold("There is no status comment") ? 0 : 1,
  });
  const [body = ""] = status;
  if (
    status.length > 0 &&
    !isTold("could not be edited") &&
    !body.includes(`Baton stopped: **${kind === "fork" ? "patch" : "pull-request"}**`)
  )
    wrong.push(outcome(`the status comment says: ${body.split("\n").at(2)}`));
  const asked = bodies.filter((one) => one.includes(`<!-- agent:v1:${session}:question:`)).length;
  const isAsked = lives.some(({ end }) => end.kind === "needs-input" && end.waits?.url != null);
  wrong.push(...count(asked, { one: "question", min: isAsked ? 1 : 0, max: kind === "question" ? 1 : 0 }));
  for (const same of Map.groupBy(repliesIn(scene), (text) => text.split("\n")[0]).values())
    wrong.push(...count(same.length, { one: "reply", min: 1 }));
  return wrong;
}

function bodiesOf({ github, thread }: Scene): readonly string[] {
  return github
    .comments(thread)
    .filter(({ user }) => user?.login === "github-actions[bot]")
    .map(({ body }) => body ?? "");
}

function repliesIn(scene: Scene): readonly string[] {
  return bodiesOf(scene).filter((body) => /^<!-- agent:v1:s[0-9a-f]{12}:reply:/.test(body));
}

function headOf({ github }: Scene, branch: string): string | null {
  const ref = github.refs(`refs/heads/${branch}`).find(({ name }) => name === `refs/heads/${branch}`);
  return ref?.sha ?? null;
}

export function count(
  found: number,
  { one, min, max = 1 }: { readonly one: string; readonly min: number; readonly max?: number },
): Wrong[] {
  if (found > max) return [{ kind: "duplicate", what: `${found} times a ${one}` }];
  return found < min ? [{ kind: "missing", what: `no ${one}` }] : [];
}

export function outcome(what: string): Wrong {
  return { kind: "outcome", what };
}
