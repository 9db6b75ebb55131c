// What the demo claims, and whether it holds.
import type { Findings } from "./audit.ts";
import type { DemoModel } from "./model.ts";
import type { FirstAct, SecondAct } from "./story.ts";
import type { Timeline } from "./timeline.ts";

/** The last line of the demo. */
export type DemoLine = {
  readonly outcome: string;
  /** Its number; null when there is none. */
  readonly pullRequest: number | null;
  readonly session: string;
  readonly runs: number;
  readonly killedAt: string;
  readonly gateRounds: number;
  readonly treeRestored: boolean;
  /** Null when the model was not scripted, and so wrote no journal. */
  readonly callsRepeated: number | null;
  readonly callsCounted: number;
  readonly redOnBase: boolean;
  readonly greenOnBranch: boolean;
  readonly assertions: number;
  readonly modelRequests: number;
  readonly sandbox: "on" | "off";
  readonly seconds: number;
};

export type Summary = { readonly line: DemoLine; readonly holds: boolean };

export type Played = {
  readonly first: FirstAct;
  readonly second: SecondAct;
  readonly findings: Findings;
  readonly model: DemoModel;
  readonly pull: { readonly number: number; readonly draft: boolean } | null;
  /** Exchanges that broke GitHub's contract. */
  readonly problems: readonly string[];
  readonly sandbox: "on" | "off";
  readonly seconds: number;
};

export function summarise(played: Played, timeline: Timeline): Summary {
  const { first, second, findings, model, pull, problems, sandbox, seconds } = played;
  const scripted = model.kind === "scripted";
  for (const { round, verdict } of findings.gate) timeline.happened(`gate, round ${round}: ${verdict}`);
  const complaint = model.complaint();
  if (complaint !== null) timeline.happened(complaint);
  for (const problem of problems) timeline.happened(`GitHub's contract: ${problem}`);
  const outcome = second.result.outputs["outcome"] ?? "none";
  const claims: readonly (readonly [boolean, string])[] = [
    [outcome === "pull-request" && pull?.draft === true, "one draft pull request is open"],
    [second.result.conclusion === "success", "the second job ended green, its post step too"],
    [problems.length === 0, "every exchange kept to GitHub's contract"],
    [findings.gateMatchesBranch, "the branch holds exactly the tree that the gate passed"],
    [
      findings.baseGreen === true && findings.redOnBase,
      "the new tests are red on the base, which was green without them",
    ],
    [findings.greenOnBranch, `the checks are green on the branch (${findings.assertions ?? 0} assertions)`],
    [findings.logContinued, "the second run wrote after the very records that left the first machine"],
  ];
  const counted: readonly (readonly [boolean, string])[] = [
    [findings.treeRestored, `the second machine began with the last sealed tree, ${findings.treeBeforeKill}`],
    [
      findings.changedBefore.join() === "test/test.js",
      "in it only test/test.js is changed: what the interrupted call did to queue.js is gone",
    ],
    [
      findings.callsRepeated === 0 && findings.callsCounted > 0,
      `of ${findings.callsCounted} settled calls in the journal, ${findings.callsRepeated} ran again`,
    ],
    [findings.gateRounds === 2, "the gate judged twice: red, then green"],
  ];
  // What was shown as it happened, or has been said above.
  const before = [first.isLost, complaint === null];
  const all = scripted ? [...claims, ...counted] : claims;
  for (const [holds, text] of all) timeline.proved(holds, text);
  const line: DemoLine = {
    outcome,
    pullRequest: pull?.number ?? null,
    session: first.session,
    runs: 2,
    killedAt: `turn ${first.requests}, ${first.moment}`,
    gateRounds: findings.gateRounds,
    treeRestored: findings.treeRestored,
    callsRepeated: scripted ? findings.callsRepeated : null,
    callsCounted: findings.callsCounted,
    redOnBase: findings.redOnBase,
    greenOnBranch: findings.greenOnBranch,
    assertions: findings.assertions ?? 0,
    modelRequests: model.requests(),
    sandbox,
    seconds: Number(seconds.toFixed(1)),
  };
  return { line, holds: before.every(Boolean) && all.every(([holds]) => holds) };
}
