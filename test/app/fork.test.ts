import { describe, expect, it } from "vitest";
import type { Sha } from "../../src/base/hash.ts";
import type { StoredPatch } from "../../src/delivery/patches.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, thread } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

/** A stage whose thread is a pull request of a fork, with the story's base as its head. */
function givenFork(options: Parameters<typeof givenStage>[0] = {}) {
  const stage = givenStage(options);
  const at = stage.github.threads.get(thread);
  if (at === undefined) throw new Error("the stage has no thread");
  const headAt = (sha: Sha): void => {
    const head = { ref: "topic", sha, repositoryId: 77 };
    stage.github.threads.set(thread, { ...at, kind: "pull-request", head, base: { ref: "main" } });
  };
  headAt(stage.base.sha);
  const comment = () => stage.github.comments[0]?.body ?? "";
  const patches = () => stage.patches.stored.map(({ patch }) => Buffer.from(patch).toString());
  return { stage, comment, patches, headAt };
}

/** Besides comments. */
function expectNothingWritten({ stage: { github } }: ReturnType<typeof givenFork>): void {
  expect([...github.branches.keys()]).toEqual(["main"]);
  expect([...github.commits.keys()]).toHaveLength(1);
  expect(github.pulls).toEqual([]);
  expect(github.checkRuns).toEqual([]);
}

function detailOf({ end }: Played): string {
  return end === "died" ? "" : end.detail;
}

const write = (path: string, text: string) => ({ name: "write", input: { path, text } });
const fix: Step = { calls: [write("b.txt", "fixed\n")] };
const works = (...steps: readonly Step[]): LifeOptions => ({
  model: tellsStory([...steps, { text: "Fix b\n\nIt was wrong." }]),
});
const refusing = (code: "rejected" | "unavailable", why: string): NonNullable<LifeOptions["over"]> => {
  return ({ patches }) => ({ patches: { ...patches, put: async () => ({ kind: "refused", code, why }) } });
};

describe("what passed for a pull request of a fork", () => {
  it("is a patch for the named head, as an artifact and in the summary, and nothing is pushed (R3)", async () => {
    const fork = givenFork();
    const { stage, comment, patches } = fork;
    const run = await live(stage, works(fix));
    expect(endOf(run)).toBe("patch/fork");
    expectNothingWritten(fork);
    const name = expect.stringMatching(`^agent-patch-${stage.session}-[0-9a-f]{8}$`);
    const at = "https://github.example/o/r/actions/runs/101";
    expect(run.end).toMatchObject({ exit: 0, resumable: false, branch: null, patch: { name, url: at } });
    const patch = "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n-b\n+fixed\n";
    expect(patches()).toEqual([patch]);
    expect(run.end).toMatchObject({ report: expect.stringContaining(`\`\`\`diff\n${patch}\`\`\``) });
    const stored = run.end === "died" ? null : run.end.patch;
    expect(comment()).toContain(
      `\`\`\`sh\n${(stored as StoredPatch).fetch}\ngit apply --index --whitespace=nowarn ${stored?.name}.patch\n\`\`\``,
    );
    expect(comment()).toContain(`It is for commit <code>${stage.base.sha}</code>:`);
    expect(comment()).toContain("The checks ran on exactly the tree that it gives.");
    expect(comment()).toContain("Fix b\n\nIt was wrong.");
    expect(comment()).toContain("| <code>second</code> | <code>check second</code> | green | green |");
    expect(comment()).not.toContain("diff --git");
    expect(eventsOf(run)).toContainEqual({ type: "session.ended", outcome: "patch", reason: "fork" });
  });

  it("needs no leave to open a pull request", async () => {
    const { stage } = givenFork();
    const over: NonNullable<LifeOptions["over"]> = ({ host }) => ({
      host: { ...host, pullRequest: { ...host.pullRequest, forbidden: async () => "pull-requests: write" } },
    });
    expect(endOf(await live(stage, { ...works(fix), over }))).toBe("patch/fork");
  });

  it("comes with what a person has to look at, and with what was held back", async () => {
    const { stage, comment, patches } = givenFork({ files: { ".github/workflows/ci.yml": "" } });
    const manifest = JSON.stringify({ dependencies: { "left-pad": "^1.3.0" } });
    const steps: readonly Step[] = [
      { calls: [write("b.txt", "fixed\n"), write(".github/workflows/ci.yml", "on: push\n")] },
      { text: "Fix b" },
      { calls: [write("package.json", manifest), write(".github/workflows/ci.yml", "")] },
    ];
    const run = await live(stage, { ...works(...steps), orders: { setup: [] } });
    expect(endOf(run)).toBe("patch/fork");
    expect(patches()).toEqual([
      expect.stringContaining("+++ b/.github/workflows/ci.yml\n+on: push\n"),
      expect.stringContaining("package.json"),
    ]);
    expect(patches()[1]).not.toContain("workflows");
    expect(run.end).toMatchObject({ patch: { name: stage.patches.stored[1]?.name } });
    expect(comment()).toContain("### Look at these closely\n\n- <code>package.json</code>");
    expect(comment()).toContain("### Dependencies");
    expect(comment()).toContain("What was held back stands as a patch in");
    expect(comment()).toContain("The work stands as a patch in");
  });

  it("says where the head is by now, when it moved", async () => {
    const { stage, headAt, comment } = givenFork();
    const now = "9".repeat(40) as Sha;
    const over: NonNullable<LifeOptions["over"]> = ({ patches }) => ({
      patches: {
        ...patches,
        put: async (...given) => {
          headAt(now);
          return patches.put(...given);
        },
      },
    });
    const run = await live(stage, { ...works(fix), over });
    expect(endOf(run)).toBe("patch/fork");
    expect(detailOf(run)).toContain(`The work passed for ${stage.base.sha}, the head of`);
    expect(comment()).toContain(`The head is ${now} by now.`);
  });

  it("is not made again by the same command where its comment could not be", async () => {
    const { stage, patches } = givenFork();
    const locked: NonNullable<LifeOptions["over"]> = ({ host }) => {
      const create = async () => ({ kind: "refused", code: "locked", why: "it is locked" }) as const;
      return { host: { ...host, comment: { ...host.comment, create } } };
    };
    expect(endOf(await live(stage, { ...works(fix), over: locked }))).toBe("patch/fork");
    const again = await live(stage, { ...works(fix), over: locked });
    expect([endOf(again), again.requests]).toEqual(["refused/ended", []]);
    expect(patches()).toHaveLength(1);
  });

  it("ends as no-change where nothing was changed, and with no patch", async () => {
    const { stage, patches } = givenFork();
    expect(endOf(await live(stage, works()))).toBe("no-change/no-change");
    expect(patches()).toEqual([]);
  });

  it("never holds a credential", async () => {
    const { stage, patches, comment } = givenFork();
    const steps: readonly Step[] = [
      { calls: [write("c.ts", drawn("ghp_", 36))] },
      { text: "1" },
      { text: "2" },
    ];
    const run = await live(stage, works(...steps));
    expect(endOf(run)).toBe("gate-failed/credentials");
    expect(patches()).toEqual([]);
    expect(comment()).not.toContain("git apply");
  });
});

describe("a patch that cannot be stored", () => {
  it("is given in the summary alone, where nothing will ever be stored there", async () => {
    const { stage, comment } = givenFork();
    const run = await live(stage, { ...works(fix), over: refusing("rejected", "the quota is used up") });
    expect(endOf(run)).toBe("patch/fork");
    expect(run.end).toMatchObject({ patch: null, report: expect.stringContaining("+fixed\n") });
    expect(comment()).toContain("It stands in the summary of the run alone");
    expect(comment()).toContain("and not in an artifact: the quota is used up.");
    expect(comment()).not.toContain("gh run download");
  });

  it("is kept in the session where the summary has no room for it", async () => {
    const { stage, comment } = givenFork();
    const long: Step = { calls: [write("b.txt", "fixed\n"), write("c.txt", "c\n".repeat(40_000))] };
    const run = await live(stage, { ...works(long), over: refusing("rejected", "the quota is used up") });
    expect(endOf(run)).toBe("suspended/rejected");
    expect(comment()).toContain(
      "It could not be stored: the quota is used up. Resume when that is put right",
    );
    const again = await live(stage, { ...works(long), asks: "resume" });
    expect([endOf(again), again.requests.length]).toEqual(["patch/fork", 0]);
  });

  it("is found where it was stored and only the answer was lost", async () => {
    const { stage, patches } = givenFork();
    const over: NonNullable<LifeOptions["over"]> = ({ patches }) => ({
      patches: {
        ...patches,
        put: async (...given) => {
          await patches.put(...given);
          return { kind: "refused", code: "unavailable", why: "the connection was reset" };
        },
      },
    });
    expect(endOf(await live(stage, { ...works(fix), over }))).toBe("patch/fork");
    expect(patches()).toHaveLength(1);
  });

  it("is not taken for stored where nobody can tell", async () => {
    const { stage, patches } = givenFork();
    const lost = await live(stage, { ...works(fix), over: refusing("unavailable", "no answer") });
    expect(endOf(lost)).toBe("suspended/unavailable");
    expect(eventsOf(lost).filter(({ type }) => type === "effect.settled")).toEqual([
      expect.objectContaining({ key: `${stage.session}/comment` }),
    ]);
    expect(endOf(await live(stage, { ...works(fix), asks: "resume" }))).toBe("patch/fork");
    expect(patches()).toHaveLength(1);
  });
});

describe("a run that dies while it gives its patch, and whose machine", () => {
  const deaths: readonly NonNullable<LifeOptions["death"]>[] = [
    ...(["before", "torn", "after"] as const).flatMap((when) => [
      { at: "files.append", event: "gate.passed", when } as const,
      { at: "files.append", event: "effect.intended", of: "patch", when } as const,
      { at: "files.append", event: "effect.settled", of: "patch", when } as const,
      { at: "files.append", event: "session.ended", when } as const,
    ]),
    ...(["before", "after"] as const).flatMap((when) => [
      { at: "patches.find", when } as const,
      { at: "patches.put", when } as const,
    ]),
  ];

  describe.each(["survives", "lost"] as const)("%s,", (machine) => {
    it.each(deaths.map((death) => [`${death.when} ${death.event ?? ""} ${death.at}`, death] as const))(
      "has stored it once in the end: %s",
      async (_, death) => {
        const fork = givenFork();
        expect(endOf(await live(fork.stage, { ...works(fix), death, machine }))).toBe("died");
        const resumed = await live(fork.stage, { ...works(fix), asks: "resume" });
        expect(["patch/fork", "refused/ended", "ignored/done-before"]).toContain(endOf(resumed));
        expect(fork.patches()).toHaveLength(1);
        expectNothingWritten(fork);
        expect(fork.comment()).toContain("Baton stopped: **patch**");
      },
    );
  });
});

describe("a change over the limits of which no round let anything through", () => {
  const config = "checks: [{ run: a }]\nlimits: { files: 2 }\n";
  const many = (text: string): Step => ({ calls: ["c", "d", "e"].map((name) => write(`${name}.txt`, text)) });
  const again: readonly Step[] = [{ text: "1" }, { text: "2" }];

  it("is offered to a person whole", async () => {
    const stage = givenStage({ config });
    const run = await live(stage, works(many("one\n"), ...again));
    expect(endOf(run)).toBe("gate-failed/size");
    const [stored] = stage.patches.stored;
    expect(Buffer.from(stored?.patch ?? "").toString()).toMatch(/c\.txt(.|\n)*d\.txt(.|\n)*e\.txt/);
    expect(run.end).toMatchObject({ patch: { name: stored?.name } });
    const comment = stage.github.comments[0]?.body ?? "";
    expect(comment).toContain("the change is still larger than");
    expect(comment).toContain(`gh run download 101 --repo o/r --name ${stored?.name}`);
  });

  it("is not offered where it is larger than anybody would read", async () => {
    const stage = givenStage({ config });
    const run = await live(stage, works(many("long line\n".repeat(334_000)), ...again));
    expect(endOf(run)).toBe("gate-failed/size");
    expect(stage.patches.stored).toEqual([]);
    expect(stage.github.comments[0]?.body).toContain("it has more than 10000000 bytes.");
  });

  it("is offered only where it holds no credential", async () => {
    const stage = givenStage({ config });
    const token = drawn("ghp_", 36);
    const run = await live(stage, works(many(token), ...again));
    expect(endOf(run)).toBe("gate-failed/size");
    expect(stage.patches.stored).toEqual([]);
    expect(run.end).toMatchObject({ patch: null });
    expect(stage.github.comments[0]?.body).toContain(
      "What was held back is not offered as a patch, because it holds what looks like a credential.",
    );
    expect(JSON.stringify([run.end, stage.github.comments])).not.toContain(token);
  });
});
