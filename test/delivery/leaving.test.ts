import { describe, expect, it } from "vitest";
import { jobLog } from "../../src/adapters/actions/job-log.ts";
import { type Ending, reportEnding } from "../../src/adapters/actions/report.ts";
import { memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { maskOf } from "../../src/base/masking.ts";
import type { Host } from "../../src/delivery/host.ts";
import { maskedHost } from "../../src/delivery/masked-host.ts";
import { captured, fileCommands } from "../adapters/actions/captured.ts";
import { disguises } from "../gate/secrets/disguised.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";

const secret = drawn("sk-ant-api03-", 95);
const mask = maskOf([secret]);
const id = "1".repeat(40);

/** A host that is told things as the delivery tells them, and all that GitHub got of it. */
async function toldGitHub(tell: (host: Host) => Promise<unknown>): Promise<string> {
  const issue = { kind: "issue", state: "open", locked: false, head: null, base: null } as const;
  const github = memoryGitHub({
    threads: new Map([[7, { number: 7, title: "", body: "", author: "octo", ...issue }]]),
  });
  const messages: string[] = [];
  const plain = memoryHost(github);
  const commit: Host["branch"]["commit"] = (made) => {
    messages.push(made.message);
    return plain.branch.commit(made);
  };
  await tell(maskedHost({ ...plain, branch: { ...plain.branch, commit } }, mask));
  return JSON.stringify([messages, github.pulls, github.comments, github.checkRuns]);
}

async function toldJob(tell: (log: ReturnType<typeof jobLog>) => unknown): Promise<string> {
  const files = fileCommands();
  const { lines } = await captured(files.env, async () => tell(jobLog(mask)));
  return JSON.stringify([lines, files.text("GITHUB_OUTPUT"), files.text("GITHUB_STEP_SUMMARY")]);
}

const ending: Ending = {
  ...{ kind: "done", reason: "ready", detail: "", resumable: false, exit: 0, session: null },
  ...{ pullRequest: null, patch: null, branch: null, baseSha: null, headSha: null, turns: 1, costUsd: 0 },
  report: "",
};

const pull = { branch: "b", base: "main", title: "t", body: "b", draft: false } as const;
const run = {
  ...{ head: id as Sha, name: "n", externalId: "x", detailsUrl: null },
  conclusion: "success",
  ...{ title: "t", summary: "s", annotations: [] },
} as const;
const note = { level: "notice", path: "a", line: 1, title: "t", message: "m" } as const;
const commit = { parent: id as Sha, parentTree: id as Tree, tree: id as Tree, files: [] } as const;

async function opened(host: Host, more: Partial<typeof pull | { readonly title: string }>): Promise<number> {
  const made = await host.branch.commit({ ...commit, message: "m" });
  if (made.kind !== "committed") throw new Error(made.why);
  await host.branch.create("b", made.sha);
  const one = await host.pullRequest.open({ ...pull, ...more });
  if (one.kind !== "made") throw new Error(one.why);
  return one.id;
}

/** Every place where a text of the work leaves; the branch's name is none, since nothing in it comes from the work. */
const places: readonly (readonly [place: string, tell: (text: string) => Promise<string>])[] = [
  ["a commit's message", (message) => toldGitHub((host) => host.branch.commit({ ...commit, message }))],
  ["a pull request's title", (title) => toldGitHub((host) => opened(host, { title }))],
  ["a pull request's body", (body) => toldGitHub((host) => opened(host, { body } as object))],
  [
    "a changed body",
    (body) => toldGitHub(async (host) => host.pullRequest.update(await opened(host, {}), { body })),
  ],
  ["a comment", (body) => toldGitHub((host) => host.comment.create(7, body))],
  [
    "a changed comment",
    (body) =>
      toldGitHub(async (host) => {
        const made = await host.comment.create(7, "c");
        if (made.kind === "made") await host.comment.update(made.id, body);
      }),
  ],
  [
    "a check run",
    (text) => toldGitHub(async (host) => host.checkRun?.create({ ...run, title: text, summary: text })),
  ],
  [
    "an annotation",
    (text) =>
      toldGitHub(async (host) =>
        host.checkRun?.create({ ...run, annotations: [{ ...note, title: text, message: text }] }),
      ),
  ],
  ["the job's summary", (report) => toldJob((log) => reportEnding({ ...ending, report }, { log, mask }))],
  ["the outputs", (detail) => toldJob((log) => reportEnding({ ...ending, detail }, { log, mask }))],
  ["the job's log", (text) => toldJob((log) => log.say(text))],
  ["a warning", (text) => toldJob((log) => log.warn(text))],
  ["an error", (text) => toldJob((log) => log.error(text))],
  ["the title of a group", (text) => toldJob((log) => log.group(text)[Symbol.dispose]())],
];

describe("a secret of the run in a text that leaves", () => {
  it.each(places)("does not come through in any disguise by way of %s (T30)", async (_, tell) => {
    expect(await tell("marked-text")).toContain("marked-text");
    for (const [how, text] of disguises(secret)) {
      const got = await tell(`before ${text} after`);
      expect([how, got]).toEqual([how, expect.stringContaining("***")]);
      expect(got).not.toContain(text.slice(0, 40));
      expect(got).not.toContain(text.slice(-40));
    }
  });
});
