// The local GitHub keeps the rules that the product relies on.
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { loadContract } from "../kit/github/contract.ts";
import { at, client, givenRoom, refusal } from "./given-github.ts";

const { start } = givenRoom();

describe("the contract", () => {
  it("notices a field that is missing from an answer, and a status that GitHub does not give", () => {
    const contract = loadContract();
    const url = new URL("http://127.0.0.1/repos/octo/demo/git/ref/heads%2Fmain");
    const whole = { ref: "refs/heads/main", node_id: "x", url: url.href };
    const object = { type: "commit", sha: "1".repeat(40), url: url.href };
    const check = (status: number, responseBody: unknown) =>
      contract.response({ method: "GET", url, status, responseBody });
    expect(check(200, { ...whole, object })).toEqual([]);
    expect(check(200, whole)).toEqual([expect.stringContaining("'object'")]);
    expect(check(418, {})).toEqual(["undocumented status 418"]);
  });

  it("records a request that GitHub does not document", async () => {
    await using github = await start();
    const issue = github.createIssue({ title: "t", by: "maria" });
    const path = `/repos/octo/demo/issues/${issue.number}/comments`;
    await client(github).request(`POST ${path}`, { body: "hello", colour: "red" });
    await client(github).request(`GET ${path}?everything=1`);
    expect(github.problems().map(({ problems }) => problems)).toEqual([
      ["request/colour is not documented"],
      ["query everything is not documented"],
    ]);
  });

  it("does not blame a client that is killed in the middle of a request", async () => {
    await using github = await start();
    const { number } = github.createIssue({ title: "t", by: "maria" });
    const { hostname, port } = new URL(github.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /repos/octo/demo/issues/${number}/comments HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{`;
    await new Promise<void>((sent) => socket.write(head, () => sent()));
    socket.resetAndDestroy();
    await client(github).issues.listComments({ ...at, issue_number: number });
    expect(github.comments(number)).toEqual([]);
    expect(github.problems()).toEqual([]);
  });

  it("fails the requests that a test wants to fail, before or after they are carried out", async () => {
    await using github = await start();
    const { number: issue_number } = github.createIssue({ title: "t", by: "maria" });
    const comment = () => client(github).issues.createComment({ ...at, issue_number, body: "hello" });
    github.fail({ method: "POST", path: /comments$/, status: 502 });
    expect(await refusal(comment())).toMatchObject({ status: 502 });
    expect(github.comments(issue_number)).toHaveLength(0);
    github.fail({ method: "POST", path: /comments$/, network: "reset", after: true });
    await expect(comment()).rejects.toThrow();
    expect(github.comments(issue_number)).toHaveLength(1);
    expect((await comment()).headers["x-ratelimit-remaining"]).toBeDefined();
    expect(github.exchanges.map(({ status, fault }) => [status, fault])).toEqual([
      [502, true],
      [0, true],
      [201, undefined],
    ]);
  });
});
