import { describe, expect, it } from "vitest";
import { ownIdentity } from "../../../src/adapters/github/identity.ts";
import { treeIdOf, withFiles } from "../../../src/adapters/memory/git-objects.ts";
import { parseSha, type Sha } from "../../../src/base/hash.ts";
import { HostUnavailable } from "../../../src/delivery/host.ts";
import { baseEntries, baseTree } from "../../contracts/host.ts";
import { handClock } from "../../kit/given.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

const pull = { branch: "topic", base: "main", title: "Fix", body: "Why", draft: true };

async function withTopic(world: GitHubWorld): Promise<Sha> {
  world.github.commit({ files: { "a.txt": "two\n" }, branch: "topic" });
  return shaOf(world.github.git("rev-parse", "topic"));
}

function shaOf(text: string): Sha {
  const sha = parseSha(text);
  if (sha === null) throw new Error(`${text} is no commit`);
  return sha;
}

describe("what GitHub refuses", () => {
  it("is not-permitted where the settings forbid pull requests (F32)", async () => {
    await using world = await githubWorld({ settings: { actionsMayCreatePullRequests: false } });
    await withTopic(world);
    expect(await world.host.pullRequest.forbidden("main")).toBeNull();
    expect(await world.host.pullRequest.open(pull)).toMatchObject({
      kind: "refused",
      code: "not-permitted",
      why: expect.stringContaining("not permitted to create or approve pull requests"),
    });
  });

  it("is forbidden, naming the missing line of `permissions` (F33)", async () => {
    await using world = await githubWorld({
      settings: { job: { contents: "read", issues: "read", "pull-requests": "read" } },
    });
    const { host, github } = world;
    const sha = await withTopic(world);
    const issue = github.createIssue({ title: "A bug", by: "read" }).number;
    const expected = (needs: string) => ({ code: "forbidden", why: expect.stringContaining(needs) });
    expect(await host.branch.create("agent/x", sha)).toMatchObject(expected("contents: write"));
    expect(await host.pullRequest.open(pull)).toMatchObject(expected("pull-requests: write"));
    expect(await host.comment.create(issue, "x")).toMatchObject(expected("issues: write"));
    expect(await host.pullRequest.forbidden("main")).toContain("pull-requests: write");
  });

  it.each([
    [
      422,
      "Repository rule violations found: Cannot create ref due to creations being restricted.",
      "rejected",
    ],
    [
      409,
      "GH013: Repository rule violations found for refs/heads/x. Push protection: secret found",
      "rejected",
    ],
    [422, "Changes must be made through a pull request (protected branch).", "rejected"],
    [
      403,
      "refusing to allow a GitHub App to create or update workflow `x.yml` without `workflows` permission",
      "rejected",
    ],
    [403, "Repository was archived so is read-only.", "forbidden"],
    [403, "Unable to create comment because issue is locked.", "locked"],
    [422, "Reference already exists", "exists"],
    [401, "Bad credentials", "unavailable"],
    [404, "Not Found", "gone"],
    [410, "This issue was deleted", "gone"],
    [500, "oops", "unavailable"],
    [422, "something new", "rejected"],
  ] as const)('is told by status %s and "%s" (F34)', async (status, message, code) => {
    await using world = await githubWorld();
    const sha = await withTopic(world);
    world.github.fail({ method: "POST", path: /\/git\/refs$/, status, body: { message } });
    const refused = await world.host.branch.create("agent/x", sha);
    expect(refused).toMatchObject({ kind: "refused", code });
    expect("why" in refused && refused.why).toContain(message);
    // A token that died or may not is turned away before anything is done.
    expect("unmade" in refused).toBe(status === 401 || status === 403);
  });

  it("is a token that died, in our own words, for a write and for a look-up (F36)", async () => {
    await using world = await githubWorld();
    const { host, github } = world;
    const sha = await withTopic(world);
    github.fail({ path: /./, status: 401, times: 2, body: { message: "Bad credentials" } });
    const why = "Bad credentials (the token has expired, or was revoked)";
    const refused = await host.branch.create("agent/x", sha);
    expect(refused).toEqual({ kind: "refused", code: "unavailable", why, unmade: true });
    await expect(host.branch.find("x")).rejects.toThrow(why);
    expect(github.exchanges).toHaveLength(2);
  });

  it("is a thrown HostUnavailable for a look-up that got no answer, never nothing (F28)", async () => {
    await using world = await githubWorld();
    const { host, github } = world;
    for (const look of [
      () => host.branch.find("x"),
      () => host.pullRequest.find("x"),
      () => host.comment.find(1, "x"),
      () => host.thread(1),
    ]) {
      github.fail({ path: /./, status: 503, times: 4 });
      await expect(look()).rejects.toThrow(HostUnavailable);
    }
  });

  const unseenHead = {
    message: "Validation Failed",
    errors: [{ resource: "PullRequest", field: "head", code: "invalid" }],
  };
  const sentence = (message: string) => ({ message });
  const unseenCommit = {
    errors: [{ message: `Could not resolve to a commit with the oid ${"1".repeat(40)}` }],
  };
  it.each([
    ["the branch of a pull request", 422, /\/pulls$/, unseenHead],
    ["a blob", 422, /\/git\/trees$/, sentence("GitRPC::BadObjectState")],
    ["a tree", 422, /\/git\/commits$/, sentence("Tree SHA does not exist")],
    ["a commit", 422, /\/git\/refs$/, sentence("Object does not exist")],
    ["a commit to move to", 200, /^\/graphql$/, { data: { updateRefs: null }, ...unseenCommit }],
  ])(
    "is asked again while it does not see %s that was made just before (F35)",
    async (_, status, path, body) => {
      const clock = handClock();
      await using world = await githubWorld({ clock });
      const { host, github } = world;
      const times = 4;
      github.fail({ method: "POST", path, status, body, times });
      const base = shaOf(github.git("rev-parse", "main"));
      const file = { path: "a.txt", mode: "100644", bytes: Buffer.from("two\n") } as const;
      const tree = treeIdOf(withFiles(baseEntries, [file]));
      const made = await host.branch.commit({
        ...{ parent: base, parentTree: baseTree, tree, files: [file] },
        message: "Fix",
      });
      const sha = made.kind === "committed" ? made.sha : base;
      expect(await host.branch.create("topic", sha)).toEqual({ kind: "made" });
      expect(await host.branch.advance("main", { from: base, to: sha })).toEqual({ kind: "made" });
      github.git("update-ref", "refs/heads/main", base);
      expect(await host.pullRequest.open(pull)).toMatchObject({ kind: "made" });
      expect(await github.pulls()).toHaveLength(1);
      expect(clock.elapsed()).toBe(15_000);
      expect(github.exchanges.filter((exchange) => exchange.fault)).toHaveLength(times);
    },
  );

  it.each([1, 2])(
    "is no half of a list: comments are not looked up where page %i is missing (F38)",
    async (page) => {
      await using world = await githubWorld();
      const { github, host } = world;
      const issue = github.createIssue({ title: "A bug", by: "read" }).number;
      for (let number = 0; number < 120; number += 1) github.comment({ issue, body: "talk", by: "read" });
      await host.comment.create(issue, "ours <!-- m -->");
      expect(await host.comment.find(issue, "<!-- m -->")).toHaveLength(1);
      github.fail({ path: new RegExp(`comments\\?.*page=${page}$`), status: 502, times: 4 });
      await expect(host.comment.find(issue, "<!-- m -->")).rejects.toThrow(HostUnavailable);
      expect(await host.comment.find(issue, "<!-- m -->")).toHaveLength(1);
    },
  );

  it.each([301, 302, 307, 308])(
    "is gone for a comment on an issue that GitHub has elsewhere by now, as status %i says, and goes nowhere else (F37)",
    async (status) => {
      await using world = await githubWorld();
      const { github, host } = world;
      const [from, to] = ["Here", "There"].map((title) => github.createIssue({ title, by: "read" }).number);
      const location = `${github.url}/repos/octo/demo/issues/${to}/comments`;
      const path = new RegExp(`/issues/${from}/comments$`);
      github.fail({
        method: "POST",
        path,
        status,
        body: { message: "Moved", url: location },
        headers: { location },
      });
      const made = await host.comment.create(from ?? 0, "hello");
      expect(made).toMatchObject({ kind: "refused", code: "gone", why: expect.stringContaining("moved") });
      expect([github.comments(to ?? 0), github.exchanges.length]).toEqual([[], 1]);
    },
  );

  it("shows a pull request's head, a fork's too, and nothing for an issue that moved away", async () => {
    await using world = await githubWorld();
    const { github, host } = world;
    const sha = await withTopic(world);
    const own = await github.pullRequest({ head: "topic", title: "Mine", by: "write" });
    expect(await host.thread(own.number)).toMatchObject({
      kind: "pull-request",
      head: { ref: "topic", sha, repositoryId: github.repository.id },
      base: { ref: "main" },
    });
    const forked = github.commit({ files: { "a.txt": "three\n" } });
    const foreign = await github.pullRequest({
      head: "f",
      sha: forked,
      fork: "read",
      title: "F",
      by: "read",
    });
    const head = (await host.thread(foreign.number))?.head;
    expect(head?.sha).toBe(forked);
    expect(head?.repositoryId).not.toBe(github.repository.id);
    const issue = github.createIssue({ title: "A bug", by: null });
    expect((await host.thread(issue.number))?.author).toBeNull();
    const elsewhere = { ...issue, repository_url: `${github.url}/repos/octo/other` };
    github.fail({ path: /issues\//, status: 200, body: elsewhere });
    expect(await host.thread(issue.number)).toBeNull();
  });
});

describe("whose token it is", () => {
  it("is told by the account, also to an installation, and is the job's own where nobody says", async () => {
    await using job = await githubWorld();
    expect(await ownIdentity(job.place)).toEqual({ login: "github-actions[bot]" });
    const says = (login: string | null) => {
      const body = { data: { viewer: login === null ? null : { login } } };
      job.github.fail({ path: /graphql/, status: 200, body });
    };
    says("baton-app[bot]");
    expect(await ownIdentity(job.place)).toEqual({ login: "baton-app[bot]" });
    says(null);
    expect(await ownIdentity(job.place)).toEqual({ login: "github-actions[bot]" });
    job.github.fail({ path: /graphql/, status: 401, body: { message: "Bad credentials" } });
    expect(await ownIdentity(job.place)).toEqual({ login: "github-actions[bot]" });
    expect(job.github.problems()).toEqual([]);
    await using person = await githubWorld({ token: "token-of-write" });
    expect(await ownIdentity(person.place)).toEqual({ login: "write" });
    person.github.fail({ path: /user/, status: 401, body: { message: "Bad credentials" } });
    await expect(ownIdentity(person.place)).rejects.toThrow("Bad credentials");
  });
});
