import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../kit/folder.ts";
import { issueComment } from "../kit/payloads.ts";
import { runAction } from "../kit/runner/run-action.ts";

const library = import.meta.resolve("@actions/github");
const script = `
  import { context } from ${JSON.stringify(library)};
  const { eventName, repo, issue, runId, runAttempt, job, actor, serverUrl, apiUrl, payload } = context;
  console.log("seen " + JSON.stringify({ eventName, repo, issue, runId, runAttempt, job, actor, serverUrl, apiUrl, comment: payload.comment.body }));
`;

it("gives an action what GitHub's own library reads of a job", async () => {
  const dir = newFolder("context");
  try {
    await writeFile(
      path.join(dir, "action.yml"),
      "name: n\ndescription: d\nruns: { using: node24, main: main.mjs }\n",
    );
    await writeFile(path.join(dir, "main.mjs"), script);
    const payload = issueComment({ issue: { number: 7 }, comment: { body: "/agent fix" } });
    const run = await runAction({
      actionDir: dir,
      event: payload.body,
      eventName: payload.name,
      repository: "octo-org/hello",
      runId: 42,
      runAttempt: 3,
      actor: "maintainer",
      machine: path.join(dir, "machine"),
    });
    const { code, log } = await run.done;
    expect([code, JSON.parse(/^seen (.*)$/m.exec(log)?.[1] ?? "null")]).toEqual([
      0,
      {
        eventName: "issue_comment",
        repo: { owner: "octo-org", repo: "hello" },
        issue: { owner: "octo-org", repo: "hello", number: 7 },
        runId: 42,
        runAttempt: 3,
        job: "agent",
        actor: "maintainer",
        serverUrl: "https://github.com",
        apiUrl: "https://api.github.com",
        comment: "/agent fix",
      },
    ]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
