import { describe, expect, it } from "vitest";
import { ownIdentity } from "../../../src/adapters/github/identity.ts";
import { parseSha, type Sha } from "../../../src/base/hash.ts";
import { HostUnavailable } from "../../../src/delivery/host.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

const pull = { branch: "topic", base: "main", title: "Fix", body: "Why", draft: true };

async function withTopic(world: GitHubWorld): Promise<Sha> {
  world.github.commit({ files: { "a.txt": "two\n" }, branch: "topic" });
  const sha = parseSha(world.github.git("rev-parse", "topic"));
  if (sha === null) throw new Error("no commit");
  return sha;
}

describe("what GitHub refuses", () => {
  it("is not-permitted where the settings forbid pull requests", async () => {
    await using world = await githubWorld({ settings: { actionsMayCreatePullRequests: false } });
    await withTopic(world);
    expect(await world.host.pullRequest.open(pull)).toMatchObject({
      kind: "refused",
      code: "not-permitted",
      why: expect.stringContaining("not permitted to create or approve pull requests"),
    });
  });

  it("is forbidden, naming the missing line of `permissions`", async () => {
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
  ] as const)('is told by status %s and "%s"', async (status, message, code) => {
    await using world = await githubWorld();
    const sha = await withTopic(world);
    world.github.fail({ method: "POST", path: /\/git\/refs$/, status, body: { message } });
    const refused = await world.host.branch.create("agent/x", sha);
    expect(refused).toMatchObject({ kind: "refused", code });
    expect("why" in refused && refused.why).toContain(message);
  });

  it("is a thrown HostUnavailable for a look-up that got no answer, never nothing", async () => {
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

  it("is asked again for a pull request while the new branch is not visible yet", async () => {
    await using world = await githubWorld();
    await withTopic(world);
    const errors = [{ resource: "PullRequest", field: "head", code: "invalid" }];
    world.github.fail({
      method: "POST",
      path: /\/pulls$/,
      status: 422,
      body: { message: "Validation Failed", errors },
      times: 2,
    });
    expect(await world.host.pullRequest.open(pull)).toMatchObject({ kind: "made" });
    expect(await world.github.pulls()).toHaveLength(1);
  });

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
