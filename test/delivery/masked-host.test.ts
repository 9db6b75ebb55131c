import { expect, it } from "vitest";
import { memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { maskOf } from "../../src/base/masking.ts";
import type { Host } from "../../src/delivery/host.ts";
import { maskedHost } from "../../src/delivery/masked-host.ts";

const secret = "a secret of this run";
const said = `It is ${secret}, or ${Buffer.from(secret).toString("base64")}.`;

it("tells GitHub no secret of the run, in whatever text and form", async () => {
  const issue = { kind: "issue", state: "open", locked: false, head: null, base: null } as const;
  const github = memoryGitHub({
    threads: new Map([[7, { number: 7, title: "", body: "", author: "octo", ...issue }]]),
  });
  const messages: string[] = [];
  const plain = memoryHost(github);
  const watched: Host = {
    ...plain,
    branch: {
      ...plain.branch,
      commit: (commit) => {
        messages.push(commit.message);
        return plain.branch.commit(commit);
      },
    },
  };
  const host = maskedHost(watched, maskOf([secret]));

  const id = "1".repeat(40);
  const tree = id as Tree;
  const made = await host.branch.commit({
    parent: id as Sha,
    parentTree: tree,
    tree,
    files: [],
    message: said,
  });
  if (made.kind !== "committed") throw new Error(made.why);
  await host.branch.create("b", made.sha);
  const pull = await host.pullRequest.open({
    branch: "b",
    base: "main",
    title: said,
    body: said,
    draft: false,
  });
  await host.comment.create(7, said);
  const masked = "It is ***, or ***.";
  const annotations = [{ level: "notice", path: "a", line: 1, title: said, message: said } as const];
  const run = {
    head: made.sha,
    name: "n",
    externalId: "x",
    detailsUrl: null,
    conclusion: "success",
  } as const;
  await host.checkRun?.create({ ...run, title: said, summary: said, annotations });
  expect(github.checkRuns).toMatchObject([
    { title: masked, summary: masked, annotations: [{ title: masked, message: masked }] },
  ]);
  expect(messages).toEqual([masked]);
  expect(github.pulls).toMatchObject([{ title: masked, body: masked }]);
  expect(github.comments).toMatchObject([{ body: masked }]);

  if (pull.kind !== "made") throw new Error(pull.why);
  await host.pullRequest.update(pull.id, { body: `${said} Again.` });
  await host.comment.update(github.comments[0]?.id ?? 0, `${said} Again.`);
  expect([github.pulls[0]?.body, github.comments[0]?.body]).toEqual([`${masked} Again.`, `${masked} Again.`]);
});
