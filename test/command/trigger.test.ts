import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { readTrigger } from "../../src/command/trigger.ts";
import { sessionIdOf } from "../../src/session/id.ts";
import { commentPayload, facts, noInputs } from "./given.ts";

const read = (event: string, payload: unknown, inputs = {}) =>
  readTrigger(event, payload, facts, { ...noInputs, ...inputs });

const dispatch = { repository: { id: 1 }, sender: { login: "ann", id: 7, type: "User" }, inputs: null };

describe("readTrigger", () => {
  it("reads a new comment on an issue, with the words as the event has them", () => {
    expect(read("issue_comment", commentPayload())).toEqual({
      kind: "read",
      trigger: {
        kind: "comment",
        repositoryId: 1,
        session: sessionIdOf("repo:1/comment:99"),
        sender: { login: "ann", id: 7, type: "User" },
        comment: {
          id: 99,
          body: "/agent fix",
          author: { login: "ann", id: 7, type: "User" },
          createdAt: "2026-01-02T03:04:05Z",
          updatedAt: "2026-01-02T03:04:05Z",
        },
        thread: {
          number: 12,
          kind: "issue",
          title: "It crashes",
          body: "On start.",
          author: "zoe",
          state: "open",
          locked: false,
          head: null,
          base: null,
        },
      },
    });
  });

  it("tells a pull request by its key, and takes a deleted author and an empty body", () => {
    const payload = commentPayload({ issue: { pull_request: { url: "x" }, user: null, body: null } });
    expect(read("issue_comment", payload)).toMatchObject({
      trigger: { thread: { kind: "pull-request", author: null, body: "" } },
    });
  });

  it("reads a dispatch that resumes a session, whatever task the workflow names", () => {
    expect(read("workflow_dispatch", dispatch, { session: " s0123456789ab@42 ", task: "standing" })).toEqual({
      kind: "read",
      trigger: {
        kind: "dispatch",
        repositoryId: 1,
        session: sessionIdOf("repo:1/run:555"),
        sender: { login: "ann", id: 7, type: "User" },
        asks: { kind: "resume", session: "s0123456789ab", run: "42", answer: "" },
      },
    });
  });

  it("reads what a dispatch says to its session, and refuses an answer to none", () => {
    const answer = { answer: " approve toolu_1 " };
    expect(read("workflow_dispatch", dispatch, { ...answer, session: "s0123456789ab" })).toMatchObject({
      trigger: { asks: { kind: "resume", answer: "approve toolu_1" } },
    });
    expect(read("workflow_dispatch", dispatch, { ...answer, task: "tidy" })).toMatchObject({
      kind: "refused",
      code: "malformed",
      why: expect.stringContaining("give `session` too"),
    });
  });

  it("reads a dispatch and a schedule with a task", () => {
    expect(read("workflow_dispatch", dispatch, { task: "fix it", target: "#12" })).toMatchObject({
      trigger: { asks: { kind: "task", task: "fix it", target: 12 } },
    });
    expect(read("schedule", { schedule: "0 3 * * *" }, { task: "tidy" })).toEqual({
      kind: "read",
      trigger: {
        kind: "schedule",
        repositoryId: 1,
        session: sessionIdOf("repo:1/run:555"),
        actor: { login: "cron-owner", id: 3 },
        task: "tidy",
        target: null,
      },
    });
  });

  it.each([
    ["issue_comment", { ...commentPayload(), action: "edited" }],
    ["issue_comment", { ...commentPayload(), action: "deleted" }],
    ["issue_comment", { ...commentPayload(), action: "pinned" }],
    ["push", {}],
    ["issues", { action: "opened" }],
    ["pull_request", {}],
    ["pull_request_review_comment", commentPayload()],
    [
      "workflow_run",
      { repository: { id: 1 }, workflow_run: { head_repository: { id: 1, full_name: "o/r" } } },
    ],
  ])("ignores %s", (event, payload) => {
    expect(read(event, payload).kind).toBe("ignored");
  });

  it.each([
    ["pull_request_target", {}, "privileged-event", "pull_request_target"],
    [
      "workflow_run",
      { repository: { id: 1 }, workflow_run: { head_repository: { id: 2, full_name: "evil/r" } } },
      "privileged-event",
      "evil/r",
    ],
    [
      "workflow_run",
      { repository: { id: 1 }, workflow_run: { head_repository: null } },
      "privileged-event",
      "fork",
    ],
    ["workflow_run", {}, "malformed", "repository"],
    ["issue_comment", null, "malformed", "expected Object"],
    ["issue_comment", "text", "malformed", "expected Object"],
    ["issue_comment", {}, "malformed", "`action`"],
    ["issue_comment", { action: "created" }, "malformed", "`repository`"],
    [
      "issue_comment",
      commentPayload({ comment: { body: 5 } }),
      "malformed",
      "`comment.body`: expected string",
    ],
    [
      "issue_comment",
      commentPayload({ comment: { id: "99" } }),
      "malformed",
      "`comment.id`: expected number",
    ],
    ["issue_comment", commentPayload({ comment: { id: -1 } }), "malformed", "`comment.id`"],
    ["issue_comment", commentPayload({ issue: { number: 1.5 } }), "malformed", "`issue.number`"],
    ["issue_comment", commentPayload({ issue: { state: "ajar" } }), "malformed", "`issue.state`"],
    ["issue_comment", commentPayload({ sender: null }), "malformed", "`sender`"],
    ["issue_comment", commentPayload({ repository: { id: 2 } }), "other-repository", "repository 2"],
    [
      "issue_comment",
      commentPayload({ comment: { updated_at: "2026-01-02T03:04:06Z" } }),
      "edited",
      "edited",
    ],
    ["workflow_dispatch", dispatch, "nothing-asked", "`task` or `session`"],
    ["workflow_dispatch", { ...dispatch, sender: {} }, "malformed", "`sender.login`"],
    ["schedule", {}, "nothing-asked", "`task`"],
  ])("refuses %s with %j as %s", (event, payload, code, why) => {
    expect(read(event, payload)).toEqual({ kind: "refused", code, why: expect.stringContaining(why) });
  });

  it.each([
    [{ session: "latest" }, "`session`"],
    [{ session: "s0123456789ab@x" }, "`session`"],
    [{ task: "x", target: "twelve" }, "`target`"],
    [{ task: "x", target: "0" }, "`target`"],
  ])("refuses a dispatch with %j", (inputs, why) => {
    expect(read("workflow_dispatch", dispatch, inputs)).toEqual({
      kind: "refused",
      code: "malformed",
      why: expect.stringContaining(why),
    });
  });

  it("repeats nothing that could be read as a runner command", () => {
    const read1 = read("x\n::set-output name=a::b", {});
    expect(read1).toMatchObject({ why: expect.not.stringContaining("\n") });
  });

  it("reads every payload of a new comment that GitHub has published", () => {
    type Example = { readonly action?: string; readonly repository: { readonly id: number } };
    const all: readonly { readonly name: string; readonly examples: readonly Example[] }[] = createRequire(
      import.meta.url,
    )("@octokit/webhooks-examples");
    const examples = all.find(({ name }) => name === "issue_comment")?.examples ?? [];
    const created = examples.filter(({ action }) => action === "created");
    expect(created.length).toBeGreaterThan(2);
    for (const payload of created) {
      const here = { ...facts, repositoryId: payload.repository.id };
      expect(readTrigger("issue_comment", payload, here, noInputs)).toMatchObject({ kind: "read" });
    }
  });
});
