import schemas from "@octokit/webhooks-schemas/schema.json" with { type: "json" };
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import {
  issueComment,
  type Payload,
  pullRequestComment,
  schedule,
  workflowDispatch,
} from "../kit/payloads.ts";

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(schemas, "webhooks");

/** What GitHub's published schema says against a payload. */
function objections(payload: Payload, definition: string): readonly string[] {
  const validate = ajv.getSchema(`webhooks#/definitions/${encodeURIComponent(definition)}`);
  if (!validate) throw new Error(`no schema ${definition}`);
  validate(payload.body);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

describe("payloads", () => {
  it("of comments fit GitHub's schema", () => {
    expect(objections(issueComment(), "issue_comment$created")).toEqual([]);
    expect(objections(pullRequestComment(), "issue_comment$created")).toEqual([]);
    expect(objections(issueComment({ action: "edited" }), "issue_comment$edited")).toEqual([]);
    expect(objections(issueComment({ action: "deleted" }), "issue_comment$deleted")).toEqual([]);
  });

  it("of a dispatch fit GitHub's schema", () => {
    expect(objections(workflowDispatch({ inputs: { session: "s1" } }), "workflow_dispatch$event")).toEqual(
      [],
    );
  });

  it("carry what the test sets, in every place that names it", () => {
    const { body } = pullRequestComment({
      repository: { name: "acme/rocket", id: 7, ownerId: 8, defaultBranch: "trunk" },
      issue: { number: 42, title: "Boom", body: null, state: "closed", locked: true, labels: ["agent"] },
      comment: { id: 99, body: "/agent status", authorAssociation: "NONE" },
      sender: { login: "eve", id: 66 },
    });
    expect(body).toMatchObject({
      repository: {
        full_name: "acme/rocket",
        id: 7,
        owner: { login: "acme", id: 8 },
        default_branch: "trunk",
        clone_url: "https://github.com/acme/rocket.git",
        pulls_url: "https://api.github.com/repos/acme/rocket/pulls{/number}",
      },
      issue: {
        number: 42,
        title: "Boom",
        body: null,
        state: "closed",
        locked: true,
        labels: [{ name: "agent" }],
        pull_request: { url: "https://api.github.com/repos/acme/rocket/pulls/42" },
      },
      comment: { id: 99, body: "/agent status", author_association: "NONE", user: { login: "eve", id: 66 } },
      sender: { login: "eve", id: 66, url: "https://api.github.com/users/eve" },
    });
    expect(JSON.stringify(body)).not.toMatch(/Codertocat|Hello-World|octo-repo/);
  });

  it("can have an author whose account was deleted", () => {
    const { body } = issueComment({ issue: { user: null }, comment: { user: null } });
    expect(body).toMatchObject({ issue: { user: null }, comment: { user: null } });
  });

  it("of a schedule name the cron line and the repository, and no sender", () => {
    const { name, body } = schedule({ cron: "5 4 * * 1" });
    expect(name).toBe("schedule");
    expect(body).toMatchObject({ schedule: "5 4 * * 1", repository: { full_name: "octo-org/hello" } });
    expect(body).not.toHaveProperty("sender");
  });

  it("do not share state", () => {
    const first = issueComment();
    Object.assign(first.body["issue"] as object, { title: "changed" });
    expect(issueComment().body).toMatchObject({ issue: { title: "The queue forgets its limit" } });
  });
});
