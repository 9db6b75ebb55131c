import { describe, expect, it } from "vitest";
import { parseCommand } from "../../src/command/command.ts";
import { markerOf } from "../../src/delivery/marker.ts";
import { pullRequestBody, pullRequestTitle } from "../../src/delivery/pull-request.ts";
import { type StatusFacts, statusComment } from "../../src/delivery/status-comment.ts";
import { jobSummary } from "../../src/delivery/summary.ts";
import { evidence, key, pull, session } from "./given-texts.ts";

const status: StatusFacts = {
  session,
  triggerPhrase: "/agent",
  markers: [markerOf(key, session, "comment")],
  doing: "working",
  plan: [
    { text: "Reproduce", status: "done" },
    { text: "Fix it, @octo", status: "doing" },
    { text: "Prove it", status: "open" },
  ],
  turns: 12,
  activeMs: 421_000,
  costUsd: 0.4321,
  runUrl: "https://github.com/octo/demo/actions/runs/5",
  pullRequest: null,
  evidence: [],
  notes: [],
  sandboxOff: false,
  stopped: null,
};

const suspended: StatusFacts = {
  ...status,
  evidence,
  notes: ["2 hidden comments were removed from the issue's text."],
  sandboxOff: true,
  stopped: {
    outcome: "suspended",
    reason: "not-permitted",
    detail: "/agent fix\n\nGitHub said: ![x](https://evil.example/x.png)",
    resumable: true,
    compareUrl: "https://github.com/octo/demo/compare/main...agent/7-s0123456789ab?expand=1",
  },
};

describe("the status comment", () => {
  it("says what is done, what is spent and where to look, while the work goes on", () => {
    expect(statusComment(status)).toMatchInlineSnapshot(`
      "<!-- agent:v1:s0123456789ab:comment:55f8f033a1aca294 -->
      Baton is working.

      - [x] Reproduce
      - [ ] Fix it, @&#8203;octo (now)
      - [ ] Prove it

      12 turns · 7 minutes · $0.43 · [run](https://github.com/octo/demo/actions/runs/5) · session \`s0123456789ab\`
      "
    `);
  });

  it("says how it ended, what was proved and how to go on", () => {
    expect(statusComment(suspended)).toMatchInlineSnapshot(`
      "<!-- agent:v1:s0123456789ab:comment:55f8f033a1aca294 -->
      Baton stopped: **suspended**.

      Reason: not-permitted.

      &#8203;/agent fix

      GitHub said: (image: x)

      [Open the pull request yourself](https://github.com/octo/demo/compare/main...agent/7-s0123456789ab?expand=1)

      **The sandbox was switched off** (\`dangerously-disable-sandbox\`): what the model ran had this job's network, files and rights.

      - [x] Reproduce
      - [ ] Fix it, @&#8203;octo (now)
      - [ ] Prove it

      | check | command | on base | on this tree | tests, base → this tree | duration |
      |---|---|---|---|---|---|
      | <code>test</code> | <code>npm test &#124; tee log</code> | red | green | 9 passed, 1 failed → 10 passed | 540 ms |
      | <code>lint</code> | <code>npm run lint</code> in <code>packages/core</code> | green | green | exit code only | 1 min 5 s |

      The numbers are what each check's own test runner reports.

      2 hidden comments were removed from the issue's text.

      To go on, comment <code>/agent resume s0123456789ab</code> here, or dispatch the workflow with the session <code>s0123456789ab</code>.

      12 turns · 7 minutes · $0.43 · [run](https://github.com/octo/demo/actions/runs/5) · session \`s0123456789ab\`
      "
    `);
  });

  it("is never a command, whatever the trigger phrase and wherever a line is quoted from it (R2)", () => {
    for (const triggerPhrase of ["/agent", "@baton", "Baton is", "Reason:"]) {
      const body = statusComment({ ...suspended, triggerPhrase });
      expect(parseCommand(body, triggerPhrase)).toBeNull();
      if (triggerPhrase.startsWith("/"))
        for (const line of body.split("\n")) expect(parseCommand(line, triggerPhrase)).toBeNull();
    }
  });

  it("fits into what GitHub takes, and says what it cut (F38)", () => {
    const detail = "<&[\\".repeat(40_000);
    const stopped = { outcome: "failed", reason: "x", detail, resumable: true, compareUrl: null };
    const body = statusComment({ ...suspended, stopped });
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toContain("of 160000 characters are shown");
    expect(body).toContain(`resume ${session}`);
  });
});

describe("the pull request", () => {
  it("says what, why, on what evidence, and what has not happened", () => {
    expect(pullRequestBody(pull)).toMatchInlineSnapshot(`
      "<!-- agent:v1:s0123456789ab:pull-request:4811407d0cac4f02 -->

      **Keep the limit when it is lowered**

      Fixes #7 and, says the issue, fixes #&#8203;8.

      &#8203;/agent resume

      Closes #7

      ### Evidence

      Baton ran the checks on exactly the tree <code>4b825dc642cb6eb9a060e54bf8d69288fbee4904</code> and no later one. What stands above it is the model's own account.

      | check | command | on base | on this tree | tests, base → this tree | duration |
      |---|---|---|---|---|---|
      | <code>test</code> | <code>npm test &#124; tee log</code> | red | green | 9 passed, 1 failed → 10 passed | 540 ms |
      | <code>lint</code> | <code>npm run lint</code> in <code>packages/core</code> | green | green | exit code only | 1 min 5 s |

      The numbers are what each check's own test runner reports.

      ### Look at these closely

      - <code>package.json</code>: protected by .github/agent.yml

      ### Dependencies

      Whoever merges this installs what these files say:

      <code>package.json</code>:

      - <code>left-pad</code>: added, ^1.3.0

      ### Left out

      - The README was not changed.

      ---

      This repository's own workflows have not run on this pull request: one that a job's token opens does not start them. Close and reopen it to start them.

      To go on, comment <code>/agent</code> and what to change on this pull request.

      Made by Baton, session <code>s0123456789ab</code> ([run](https://github.com/octo/demo/actions/runs/5)).
      "
    `);
  });

  it("says that the sandbox was off, and leaves out what it does not know", () => {
    const facts = { ...pull, closes: null, flagged: [], dependencies: [], leftOut: [], runUrl: null };
    const body = pullRequestBody({ ...facts, startsChecks: true, sandboxOff: true });
    expect(body).toContain("The sandbox was switched off");
    expect(body).not.toMatch(/Closes|Left out|closely|Dependencies|Red to green|own workflows/);
  });

  it("closes the issue it is for and no other", () => {
    const closing = [...pullRequestBody(pull).matchAll(/\b(?:clos|fix|resolv)\w*:? #(\d+)/gi)];
    expect(closing.map(([, number]) => number)).toEqual(["7", "7"]);
  });

  it("names some of each kind where there is much to look at closely", () => {
    const many = Array.from({ length: 60 }, (_, n) => ({
      path: `.github/${n}.md`,
      why: "it configures GitHub",
    }));
    const flagged = [...many, { path: "test/a.test.js", why: "a test was deleted" }];
    const body = pullRequestBody({ ...pull, flagged });
    expect(body).toContain("<code>test/a.test.js</code>: a test was deleted");
    expect(body).toContain("- and 11 more");
  });

  it("has the title that the work gives it, else ours", () => {
    const { summary } = pull;
    expect(pullRequestTitle(summary)).toBe("Keep the limit when it is lowered");
    expect(pullRequestTitle("Bug [skip ci]\n\nWhy.")).toBe("Bug [\u200bskip ci]");
    expect(pullRequestTitle("")).toBe("Change what was asked for");
  });
});

describe("the job summary", () => {
  it("says what the comment says", () => {
    expect(jobSummary(suspended, ["What was held back."])).toMatchInlineSnapshot(`
      "## Baton: suspended

      Reason: not-permitted.

      &#8203;/agent fix

      GitHub said: (image: x)

      [Open the pull request yourself](https://github.com/octo/demo/compare/main...agent/7-s0123456789ab?expand=1)

      **The sandbox was switched off** (\`dangerously-disable-sandbox\`): what the model ran had this job's network, files and rights.

      - [x] Reproduce
      - [ ] Fix it, @&#8203;octo (now)
      - [ ] Prove it

      | check | command | on base | on this tree | tests, base → this tree | duration |
      |---|---|---|---|---|---|
      | <code>test</code> | <code>npm test &#124; tee log</code> | red | green | 9 passed, 1 failed → 10 passed | 540 ms |
      | <code>lint</code> | <code>npm run lint</code> in <code>packages/core</code> | green | green | exit code only | 1 min 5 s |

      The numbers are what each check's own test runner reports.

      2 hidden comments were removed from the issue's text.

      What was held back.

      To go on, comment <code>/agent resume s0123456789ab</code> here, or dispatch the workflow with the session <code>s0123456789ab</code>.

      12 turns · 7 minutes · $0.43 · [run](https://github.com/octo/demo/actions/runs/5) · session \`s0123456789ab\`
      "
    `);
  });
});
