import { describe, expect, it } from "vitest";
import { whyUnfit } from "../../src/command/authorise.ts";
import type { Looked, Permissions, Role } from "../../src/command/permissions.ts";
import type { AskedThread } from "../../src/command/trigger.ts";
import { ann, authoriseTrigger, commentPayload, triggerOf } from "./given.ts";

const sha = "0123456789abcdef0123456789abcdef01234567";
const other = "89abcdef0123456789abcdef0123456789abcdef";

const comment = (parts: Parameters<typeof commentPayload>[0] = {}) =>
  triggerOf("issue_comment", commentPayload(parts));
const onPull = (body: string) => comment({ comment: { body }, issue: { pull_request: {} } });
const answering = (looked: Looked): Permissions => ({ of: async () => looked });

const pull = (change: Partial<AskedThread> = {}): AskedThread => ({
  number: 12,
  kind: "pull-request",
  title: "changed since",
  body: "changed since",
  author: "zoe",
  state: "open",
  locked: false,
  head: { ref: "topic", sha, repositoryId: 1 },
  base: { ref: "main" },
  ...change,
});

const associations = ["OWNER", "MEMBER", "COLLABORATOR", "NONE"] as const;
const answers: readonly Looked[] = [
  ...(["none", "read", "triage", "write", "maintain", "admin"] as const).map(
    (role: Role): Looked => ({ kind: "role", role }),
  ),
  ...[
    "404 Not Found",
    "403 Forbidden",
    "401 Bad credentials",
    "429 Too Many Requests",
    "500",
    "502",
    "timeout",
    "a role named `owner`",
    "no role in the answer",
    "the answer is not JSON",
  ].map((why): Looked => ({ kind: "unknown", why })),
];
// T1: the association with the repository is in the event, and decides nothing.
const rows = associations.flatMap((association) => answers.map((looked) => ({ association, looked })));

describe("authorise", () => {
  it("has a truth table of 64 rows", () => {
    expect(rows).toHaveLength(64);
  });

  it.each(rows)("decides $association with $looked by the role alone", async ({ association, looked }) => {
    const trigger = comment({ comment: { author_association: association } });
    const result = await authoriseTrigger(trigger, { permissions: answering(looked) });
    if (looked.kind === "unknown") {
      expect(result).toMatchObject({ kind: "refused", code: "permission-unknown", exit: 1 });
    } else if (["write", "maintain", "admin"].includes(looked.role)) {
      expect(result.kind).toBe("authorised");
    } else {
      expect(result).toMatchObject({ kind: "refused", code: "not-allowed", exit: 0, quiet: false });
    }
  });

  it.each(["/agent status", "/agent help", "/agent resume", "/agent review"])(
    "asks for write access also for %j",
    async (body) => {
      const permissions = answering({ kind: "role", role: "read" });
      expect(await authoriseTrigger(comment({ comment: { body } }), { permissions })).toMatchObject({
        code: "not-allowed",
      });
    },
  );

  it.each([
    ["an app", { login: "x[bot]", id: 50, type: "Bot" }],
    ["an app without the ending", { login: "Copilot", id: 51, type: "Bot" }],
    ["our own identity", { login: "github-actions[bot]", id: 41898282, type: "Bot" }],
    ["an organization", { login: "org", id: 52, type: "Organization" }],
    ["a mannequin", { login: "m", id: 53, type: "Mannequin" }],
  ])("refuses %s in silence, without a look-up", async (_, account) => {
    const permissions: Permissions = { of: () => Promise.reject(new Error("not to be asked")) };
    const trigger = comment({ sender: account, comment: { user: account } });
    expect(await authoriseTrigger(trigger, { permissions, allowedBots: [1, 52] })).toMatchObject({
      code: "bot",
      exit: 0,
      quiet: true,
    });
  });

  it("takes a bot whose id is listed, whatever it is called", async () => {
    const account = { login: "renovate[bot]", id: 2740337, type: "Bot" };
    const trigger = comment({ sender: account, comment: { user: account } });
    expect(await authoriseTrigger(trigger, { allowedBots: [2740337] })).toMatchObject({ kind: "authorised" });
  });

  it("looks up a person whose login ends like a bot's", async () => {
    const account = { login: "x[bot]", id: 60, type: "User" };
    const trigger = comment({ sender: account, comment: { user: account } });
    const permissions = answering({ kind: "role", role: "none" });
    expect(await authoriseTrigger(trigger, { permissions })).toMatchObject({ code: "not-allowed" });
  });

  it("refuses a comment that another account sent, or whose author is deleted", async () => {
    const eve = { login: "ann", id: 8, type: "User" };
    expect(await authoriseTrigger(comment({ comment: { user: eve } }))).toMatchObject({
      code: "not-the-author",
      quiet: true,
    });
    expect(await authoriseTrigger(comment({ comment: { user: null } }))).toMatchObject({
      code: "deleted-author",
      quiet: true,
    });
  });

  it("asks the same of who dispatches, and nothing of a schedule", async () => {
    const permissions = answering({ kind: "role", role: "read" });
    const payload = { repository: { id: 1 }, sender: ann };
    const dispatched = triggerOf("workflow_dispatch", payload, { task: "x" });
    expect(await authoriseTrigger(dispatched, { permissions })).toMatchObject({ code: "not-allowed" });
    expect(await authoriseTrigger(dispatched)).toMatchObject({ command: { by: { login: "ann", id: 7 } } });
    const scheduled = triggerOf("schedule", {}, { task: "x" });
    expect(await authoriseTrigger(scheduled, { permissions })).toMatchObject({
      command: { by: { login: "cron-owner", id: 3 }, thread: null },
    });
  });

  it("takes the thread of a dispatch as it is now, and refuses one that is not there", async () => {
    const payload = { repository: { id: 1 }, sender: ann };
    const trigger = triggerOf("workflow_dispatch", payload, { task: "x", target: "12" });
    expect(await authoriseTrigger(trigger, { thread: pull() })).toMatchObject({
      command: { headSha: sha, thread: { kind: "pull-request" } },
    });
    expect(await authoriseTrigger(trigger, { thread: null })).toMatchObject({ code: "no-thread", exit: 1 });
  });

  it("keeps the event's words and takes the head from GitHub", async () => {
    const result = await authoriseTrigger(onPull("/agent fix"), { thread: pull() });
    expect(result).toMatchObject({
      command: { headSha: sha, thread: { title: "It crashes", body: "On start.", head: { sha } } },
    });
  });

  it.each([
    ["a head of ours", "/agent fix", { ref: "t", sha, repositoryId: 1 }, null],
    ["a head of ours, pinned", `/agent fix ${sha}`, { ref: "t", sha, repositoryId: 1 }, null],
    ["a head of ours that moved", `/agent fix ${other}`, { ref: "t", sha, repositoryId: 1 }, "head-mismatch"],
    ["a fork's head", "/agent fix", { ref: "t", sha, repositoryId: 2 }, "fork-head"],
    ["words, which may be for a session", "/agent do it", { ref: "t", sha, repositoryId: 2 }, null],
    ["a fork's head, short", "/agent fix 0123456", { ref: "t", sha, repositoryId: 2 }, "fork-head"],
    ["a fork's head, pinned", `/agent fix ${sha}`, { ref: "t", sha, repositoryId: 2 }, null],
    ["a fork's head that moved", `/agent fix ${other}`, { ref: "t", sha, repositoryId: 2 }, "head-mismatch"],
    ["a deleted fork's head", "/agent fix", { ref: "t", sha, repositoryId: null }, "fork-head"],
    ["a head without id", "/agent fix", { ref: "t", sha: "", repositoryId: 1 }, "no-head"],
    ["no head", "/agent fix", null, "no-head"],
  ])("decides %s", async (_, body, head, code) => {
    const result = await authoriseTrigger(onPull(body), { thread: pull({ head }) });
    if (code === null) expect(result).toMatchObject({ kind: "authorised", command: { headSha: sha } });
    else expect(result).toMatchObject({ kind: "refused", code, exit: 1 });
  });

  it.each([
    [
      "a fork's head",
      onPull("/agent do it"),
      pull({ head: { ref: "t", sha, repositoryId: 2 } }),
      "fork-head",
    ],
    ["a thread that was closed", onPull("/agent do it"), pull({ state: "closed" }), "closed"],
    ["a head of ours", onPull("/agent do it"), pull(), null],
  ])(
    "says of words whether they can be the task of a new session, on %s",
    async (_, trigger, thread, code) => {
      const result = await authoriseTrigger(trigger, { thread });
      if (result.kind !== "authorised") throw new Error(result.why);
      expect(whyUnfit(result.command, { triggerPhrase: "/agent" })?.code ?? null).toBe(code);
    },
  );

  it("spells out the command that pins a fork's head", async () => {
    const thread = pull({ head: { ref: "t", sha, repositoryId: 2 } });
    expect(await authoriseTrigger(onPull("/agent fix"), { thread })).toMatchObject({
      why: expect.stringContaining(`\`/agent fix ${sha}\``),
    });
  });

  it("refuses a commit id on an issue", async () => {
    expect(await authoriseTrigger(comment({ comment: { body: `/agent fix ${sha}` } }))).toMatchObject({
      code: "head-mismatch",
    });
  });

  it("refuses to fix on a closed thread, and still tells its status", async () => {
    const closed = (body: string) => comment({ comment: { body }, issue: { state: "closed" } });
    expect(await authoriseTrigger(closed("/agent fix"))).toMatchObject({
      code: "closed",
      why: "issue #12 is closed; reopen it, then give the command again",
    });
    expect((await authoriseTrigger(closed("/agent status"))).kind).toBe("authorised");
    expect(await authoriseTrigger(onPull("/agent fix"), { thread: pull({ state: "closed" }) })).toMatchObject(
      {
        code: "closed",
      },
    );
  });

  it("works on a locked thread and notes that commenting may not", async () => {
    expect(await authoriseTrigger(comment({ issue: { locked: true } }))).toMatchObject({
      kind: "authorised",
      command: { notices: [expect.stringContaining("#12 is locked")] },
    });
  });

  it.each(["ask", "review"])("says that `%s` is not in this version", async (name) => {
    expect(await authoriseTrigger(comment({ comment: { body: `/agent ${name} x` } }))).toMatchObject({
      code: "not-in-this-version",
      why: expect.stringContaining(name),
    });
  });

  it.each(["approve all of it", "stop now"])(
    "takes `%s` neither for a command nor for words",
    async (said) => {
      expect(await authoriseTrigger(comment({ comment: { body: `/agent ${said}` } }))).toMatchObject({
        code: "unclear",
        why: expect.stringContaining(said.split(" ")[0] ?? ""),
      });
    },
  );
});
