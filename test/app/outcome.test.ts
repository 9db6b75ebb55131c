import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputsOf } from "../../src/adapters/actions/report.ts";
import { briefReply, briefSummary } from "../../src/app/brief-report.ts";
import { type Outcome, type OutcomeKind, outcome, stoppedBy } from "../../src/app/outcome.ts";
import { type StatusFacts, statusComment, wayOn } from "../../src/delivery/status-comment.ts";
import { jobSummary } from "../../src/delivery/summary.ts";
import type { Waits } from "../../src/delivery/waiting.ts";
import { row } from "../delivery/given-evidence.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { sessionId } from "../kit/given.ts";

const session = sessionId();
const triggerPhrase = "/agent";
const exits: Readonly<Record<OutcomeKind, readonly number[]>> = {
  "pull-request": [0],
  patch: [0],
  "no-change": [0],
  "needs-input": [0],
  suspended: [0],
  "gate-failed": [1],
  refused: [0, 1],
  failed: [1],
  ignored: [0],
  answered: [0],
};
const kinds = Object.keys(exits) as OutcomeKind[];
const token = drawn("ghp_", 36);

const asked: Waits = {
  waiting: { kind: "question", question: "Which of the two?" },
  thread: 7,
  url: "https://github.example/o/r/issues/7#issuecomment-9",
};
const texts = fc.oneof(
  fc.string({ maxLength: 300, unit: "binary" }),
  fc.constantFrom(
    "a sentence",
    "`x`: ```\nfence",
    "**Baton stopped: failed**",
    `it said ${token}`,
    "/agent resume",
    "",
  ),
);

/** Any outcome that a session can come to. */
const outcomes: fc.Arbitrary<Outcome> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    reason: fc.stringMatching(/^[a-z]{1,9}(?:-[a-z]{1,9}){0,2}$/),
    detail: texts,
    resumable: fc.boolean(),
    pull: fc.option(fc.integer({ min: 1, max: 99_999 })),
    hasLink: fc.boolean(),
    isRed: fc.boolean(),
    isPosted: fc.boolean(),
  })
  .map(({ kind, reason, detail, resumable, pull, hasLink, isRed, isPosted }) =>
    outcome(kind, reason, detail, {
      resumable,
      session,
      exit: isRed ? 1 : 0,
      waits: kind === "needs-input" ? { ...asked, url: isPosted ? asked.url : null } : null,
      pullRequest: pull === null ? null : { number: pull, url: `https://github.example/o/r/pull/${pull}` },
      compareUrl: hasLink ? "https://github.example/o/r/compare/main...b" : null,
    }),
  );

function factsOf(end: Outcome): StatusFacts {
  return {
    ...{ session, triggerPhrase, markers: ["<!-- ours -->"], doing: "working", plan: [], turns: 3 },
    ...{ activeMs: 60_000, costUsd: 0.5, runUrl: null, pullRequest: end.pullRequest, evidence: [row] },
    ...{ notes: [], sandboxOff: false, stopped: stoppedBy(end) },
  };
}

describe("the end of a run", () => {
  it("is the same in comment, summary, reply, outputs and exit code, whatever it is", () => {
    fc.assert(
      fc.property(outcomes, (end) => {
        const { kind, reason, resumable, pullRequest, compareUrl, exit } = end;
        const outputs = outputsOf(end);
        const facts = factsOf(end);
        const [comment, summary] = [statusComment(facts), jobSummary(facts, [])];
        const replies = [briefReply(end, triggerPhrase), briefSummary(end, triggerPhrase)];
        const pages = [comment, summary];

        expect(exits[kind]).toContain(exit);
        expect(outputs).toMatchObject({ outcome: kind, reason, resumable: String(resumable) });
        expect(JSON.parse(outputs["report"] ?? "")).toMatchObject({ kind, reason, resumable });
        expect(/^<!-- ours -->\nBaton stopped: \*\*(.+?)\*\*\.$/m.exec(comment)?.[1]).toBe(kind);
        expect(/^## Baton: (.+)$/m.exec(summary)?.[1]).toBe(kind);
        expect(replies.map((text) => /^(?:Baton stopped: \*\*|## Baton: )([a-z-]+)/.exec(text)?.[1])).toEqual(
          [kind, kind],
        );
        for (const text of [...pages, ...replies]) expect(text).toContain(`Reason: ${reason}.`);

        const way = wayOn(stoppedBy(end), { triggerPhrase, session }, 20_000);
        expect(way !== "").toBe(resumable);
        for (const page of pages) {
          expect(page).toContain(way);
          expect(page.includes("[pull request #")).toBe(pullRequest !== null);
          expect(page.includes("[Open the pull request yourself]")).toBe(compareUrl !== null);
        }
        expect(outputs["pull-request-number"]).toBe(pullRequest === null ? "" : String(pullRequest.number));
        for (const text of [...pages, ...replies, ...Object.values(outputs)])
          expect(text).not.toContain(token);
      }),
      { numRuns: 400 },
    );
  });

  it("says the same of its why in comment and summary, and once", () => {
    const detail = "The budget of turns is used up. Raise the input max-turns of the workflow, then go on.";
    const facts = factsOf(outcome("suspended", "turns", detail, { resumable: true, session }));
    for (const page of [statusComment(facts), jobSummary(facts, [])])
      expect(page.split(detail)).toHaveLength(2);
  });

  it("is red for nothing that is not refused or failed, whatever is asked of it", () => {
    for (const kind of kinds) {
      const told = ([0, 1] as const).map((exit) => outcome(kind, "x", "", { exit }).exit);
      expect([kind, [...new Set(told)]]).toEqual([kind, exits[kind]]);
    }
  });
});
