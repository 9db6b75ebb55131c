import { expect } from "vitest";
import { formsOf } from "../../src/base/masking.ts";
import type { RestComment } from "../kit/github/rest-types.ts";
import { say, use } from "../kit/model/script.ts";
import type { RunResult } from "../kit/runner/run.ts";
import { type Asked, apiKey, commentPayload, type JobEvent, type World } from "../kit/world.ts";

/** How a job has to have ended, as every place that a person or a workflow can look at tells it. */
export type Ending = {
  readonly outcome: string;
  readonly reason: string;
  readonly exit: 0 | 1;
  readonly resumable?: boolean;
  /** What the log and the job summary say, and the comment where there is one: what, where and what to do. */
  readonly says?: string | RegExp;
  /** The thread that is looked at, and how many comments of ours stand on it. */
  readonly thread?: number;
  readonly comments?: number;
  /** Model requests of the world so far. */
  readonly requests: number;
  /** All branches besides main. */
  readonly branches?: readonly (string | RegExp)[];
  readonly pulls?: number;
};

/** The whole agreement of one job: outputs, exit code, log, summary, comments and what is on GitHub afterwards. */
export async function expectEnding(world: World, result: RunResult, expected: Ending): Promise<void> {
  const { github, model } = world;
  const { outcome, reason, exit, resumable = false, says = "", requests } = expected;
  const told = { outcome, reason, resumable: String(resumable) };
  expect(result.outputs, result.log).toMatchObject(told);
  expect(JSON.parse(result.outputs["report"] ?? "{}")).toMatchObject({ kind: outcome, reason, resumable });
  expect({ code: result.code, post: result.postCode }, result.log).toEqual({ code: exit, post: 0 });
  expect(result.log).toContain(`${outcome} (${reason}): `);
  expectSays("log", plain(result.log), says);
  if (outcome === "ignored") expect(result.summary).toBe("");
  else {
    expect(result.summary).toContain(`## Baton: ${outcome}`);
    expectSays("summary", plain(result.summary), says);
  }
  if (expected.thread !== undefined) {
    const ours = commentsOfOurs(world, expected.thread);
    expect(ours.map(({ body }) => body)).toHaveLength(expected.comments ?? 1);
    const last = ours.at(-1);
    if (last !== undefined) expectSays("comment", plain(last.body ?? ""), says);
  }
  expect(model.requests.map(({ refused }) => refused)).toEqual(Array(requests).fill(undefined));
  const branches = github.branches().filter((name) => name !== "main");
  expect(branches).toEqual((expected.branches ?? []).map((name) => wordOrMatch(name)));
  expect(await github.pulls()).toHaveLength(expected.pulls ?? 0);
  expect(github.problems()).toEqual([]);
  await expectNoSecret(world, result);
}

/** The job token's comments on a thread, oldest first. */
export function commentsOfOurs({ github }: World, thread: number): readonly RestComment[] {
  return github.comments(thread).filter(({ user }) => user?.login === "github-actions[bot]");
}

/** Markdown as it is read: entities and the characters that only break references are taken away. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll("&#8203;", "")
    .replaceAll("\u200b", "")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/<\/?code>|`/g, "");
}

/** The model's part of the whole story of `sumFiles`: look, fix, say so. */
export const fixesSum = [
  use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" }),
  say("Add in sum\n\nIt subtracted."),
];

export type PullRequestAsked = Asked & { readonly head: string };

/** A pull request from `topic`, of this repository or of a fork, and a comment on it; `HEAD` in it is its head. */
export async function askedOnPullRequest(
  { github }: World,
  {
    comment,
    fork,
    ...changes
  }: {
    readonly comment: string;
    readonly fork?: string;
    readonly files?: Readonly<Record<string, string>>;
  },
): Promise<PullRequestAsked> {
  const files = { "notes.txt": "what the topic is about\n", ...changes.files };
  const head = github.commit({ files, message: "Begin", ...(fork === undefined ? { branch: "topic" } : {}) });
  const from = fork === undefined ? {} : { sha: head, fork };
  const request = { head: "topic", title: "Topic", body: "sum should add.", by: "maintainer", ...from };
  const { number } = await github.pullRequest(request);
  return { ...commented(github, number, comment.replace("HEAD", head)), head };
}

/** What one more comment on a thread triggers. */
export function commented(github: World["github"], issue: number, body: string, by = "maintainer"): Asked {
  const { id: comment } = github.comment({ issue, body, by });
  const payload = commentPayload(github, { issue, comment, by });
  return { payload, inputs: {}, actor: by, issue, comment };
}

/** The event with something else in its payload. */
export function changed<E extends JobEvent>(event: E, change: (body: Record<string, unknown>) => void): E {
  const body = structuredClone(event.payload.body);
  change(body);
  return { ...event, payload: { ...event.payload, body } };
}

/** The file as the branch has it. */
export function fileAt({ github }: World, branch: string, path: string): string {
  return github.git("show", `${branch}:${path}`);
}

async function expectNoSecret({ github }: World, result: RunResult): Promise<void> {
  const artifacts = github.artifacts.list();
  const written = result.rawLog.split("\n").filter((line) => !/^::add-mask::/.test(line));
  const sinks: Readonly<Record<string, string>> = {
    log: written.join("\n"),
    summary: result.summary,
    outputs: JSON.stringify(result.outputs),
    state: JSON.stringify(result.state),
    comments: JSON.stringify((await threads(github)).flatMap((number) => github.comments(number))),
    pulls: JSON.stringify((await github.pulls()).map(({ title, body }) => [title, body])),
    artifacts: (
      await Promise.all(
        artifacts.map(async ({ name }) => (await github.artifacts.read(name)).toString("latin1")),
      )
    ).join("\n"),
  };
  const forms = [apiKey, github.jobToken].flatMap((secret) => formsOf(secret));
  for (const [sink, text] of Object.entries(sinks)) {
    expect(
      forms.filter((form) => text.includes(form)),
      `a secret is in the ${sink}`,
    ).toEqual([]);
  }
}

async function threads(github: World["github"]): Promise<readonly number[]> {
  const last = (await github.pulls()).map(({ number }) => number);
  const issues: number[] = [];
  for (let number = 1; ; number += 1) {
    try {
      github.issue(number);
      issues.push(number);
    } catch {
      return [...new Set([...issues, ...last])];
    }
  }
}

function expectSays(where: string, text: string, says: string | RegExp): void {
  if (typeof says === "string") expect(text, `the ${where} says it`).toContain(plain(says));
  else expect(text, `the ${where} says it`).toMatch(says);
}

function wordOrMatch(name: string | RegExp): unknown {
  return typeof name === "string" ? name : expect.stringMatching(name);
}

/** What of a body stands under a heading, up to the next one. */
export function under(heading: string, body: string | null | undefined): string {
  const [, after = ""] = (body ?? "").split(`\n### ${heading}\n`);
  return plain(after.split(/\n(?:### |---\n)/)[0] ?? "").trim();
}

type Mark = { readonly level: string; readonly at: string; readonly message: string };

/** What the check runs marked in the files, in the order in which they were told. */
export function marksOf({ github }: World): readonly Mark[] {
  const made = github.exchanges.filter(
    ({ method, path, status }) => method === "POST" && /\/check-runs$/.test(path) && status === 201,
  );
  return made.flatMap(({ requestBody }) => {
    const { output } = requestBody as { readonly output: { readonly annotations: readonly Annotation[] } };
    return output.annotations.map(({ annotation_level, path, start_line, message }) => ({
      level: annotation_level,
      at: `${path}:${start_line}`,
      message,
    }));
  });
}

type Annotation = {
  readonly annotation_level: string;
  readonly path: string;
  readonly start_line: number;
  readonly message: string;
};

/** The text of the user message that a request of the model ends with. */
export function toldIn({ model }: World, request: number): string {
  return JSON.stringify(model.requests[request]?.body.messages.at(-1));
}
