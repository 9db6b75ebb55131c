import { describe, expect, it } from "vitest";
import { memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { begunBranch, branchName, branchToMake, commitMessage } from "../../src/delivery/branch.ts";
import { type Host, HostUnavailable } from "../../src/delivery/host.ts";
import { sessionId } from "../kit/given.ts";

const session = sessionId();
const name = "agent/7-s";
const key = `${session}/branch`;
const tree = "a".repeat(40) as Tree;
const sha = "1".repeat(40) as Sha;

/** A host on which these branches stand. */
function hostWith(...branches: readonly string[]): Host {
  return memoryHost(
    memoryGitHub({
      commits: new Map([[sha, { tree, parents: [], entries: null }]]),
      branches: new Map(branches.map((branch) => [branch, sha])),
    }),
  );
}

describe("the branch that a session makes", () => {
  it.each([
    ["no branch stands there", [], { key, name }],
    ["somebody else's stands there", [name], { key: `${key}/2`, name: `${name}-2` }],
    ["two do", [name, `${name}-2`], { key: `${key}/3`, name: `${name}-3` }],
    ["all of its names are taken", [name, ...[2, 3, 4, 5].map((n) => `${name}-${n}`)], { key, name }],
  ])("has the first free name where %s (F29)", async (_, branches, expected) => {
    expect(await branchToMake(name, { session, effects: {}, host: hostWith(...branches) })).toEqual(expected);
  });

  it("is the one that another run of the session has made already (F29)", async () => {
    const by = { login: "octo", id: 1 };
    const message = commitMessage({ title: "Fix it", session, tree, by });
    const commits = new Map([[sha, { tree, parents: [], entries: null, message }]]);
    const host = memoryHost(memoryGitHub({ commits, branches: new Map([[name, sha]]) }));
    expect(await branchToMake(name, { session, effects: {}, host })).toEqual({ key, name });
    const others = { session: sessionId("sffffffffffff"), effects: {}, host };
    expect(await branchToMake(name, others)).toMatchObject({ name: `${name}-2` });
  });

  it.each([
    [{ [key]: {} }, { key, name }],
    [{ [`${key}/2`]: {} }, { key: `${key}/2`, name: `${name}-2` }],
    [{ [`${session}/comment`]: {} }, null],
  ])("is the one it began to make, whatever stands where: %j (F29)", async (effects, expected) => {
    expect(begunBranch(name, { session, effects })).toEqual(expected);
    const host = hostWith(name, `${name}-2`);
    if (expected !== null) expect(await branchToMake(name, { session, effects, host })).toEqual(expected);
  });

  it("has its plain name where nobody can tell", async () => {
    const host = hostWith(name);
    const find = async () => {
      throw new HostUnavailable("no answer");
    };
    const blind = { ...host, branch: { ...host.branch, find } };
    expect(await branchToMake(name, { session, effects: {}, host: blind })).toEqual({ key, name });
  });
});

describe("branch and commit", () => {
  it("have names that nothing in the work can choose", () => {
    expect(branchName({ kind: "issue", number: 7 }, session)).toBe("agent/7-s0123456789ab");
    expect(branchName(null, session)).toBe("agent/task-s0123456789ab");
    const by = { login: "", id: 0 };
    const message = commitMessage({
      title: "Fix it\n\nCo-authored-by: x <x@x>\n[skip ci]",
      session,
      tree,
      by,
    });
    const [subject = "", ...body] = message.split("\n");
    expect(subject).toBe("Fix it Co-authored-by: x <x@\u200bx> [\u200bskip ci]");
    expect(body.join("\n")).not.toMatch(/co-authored|skip ci/i);
  });

  it("name no co-author where nobody asked for it", () => {
    expect(commitMessage({ title: "Fix it", session, tree, by: null })).not.toMatch(/co-authored/i);
  });

  it.each([
    ["octo", 583231, "Co-authored-by: octo <583231+octo@users.noreply.github.com>"],
    ["mona-lisa_acme", 7, "Co-authored-by: mona-lisa_acme <7+mona-lisa_acme@users.noreply.github.com>"],
    ["renovate[bot]", 29139614, null],
    ["octo", 0, null],
    ["octo>\nSigned-off-by: x <x@x", 7, null],
    ["-octo", 7, null],
    ["octo-", 7, null],
    ["ócto", 7, null],
    ["", 7, null],
  ])(
    "name %j, account %i, as a co-author only where it is a person spelled as GitHub does",
    (login, id, line) => {
      const message = commitMessage({ title: "Fix it", session, tree, by: { login, id } });
      const ours = `Fix it\n\nThe declared checks ran on exactly this tree, ${tree}.\nBaton session ${session}.\n`;
      expect(message).toBe(line === null ? ours : `${ours}\n${line}\n`);
    },
  );
});
