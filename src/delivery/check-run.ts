import type { Sha } from "../base/hash.ts";
import { type EvidenceRow, fewerTests, isUnproved } from "../gate/evidence.ts";
import { withoutSecrets } from "../gate/secrets/secret-rules.ts";
import type { SessionId } from "../session/id.ts";
import type { DeliverTools } from "./deliver.ts";
import { carryOut, type Effect, type EffectDone } from "./effect.ts";
import { evidenceTable } from "./evidence.ts";
import { fitBody } from "./fit.ts";
import { type Annotation, type CheckRunHost, type Host, HostForbidden, type HostRefusal } from "./host.ts";
import { codeSpan } from "./neutral.ts";
import { oneLine, visible } from "./neutral-inline.ts";
import { flaggedList } from "./pull-request.ts";

export type CheckRunFacts = {
  readonly session: SessionId;
  /** The pushed commit, whose tree is the one that was judged. */
  readonly head: Sha;
  readonly evidence: readonly EvidenceRow[];
  /** Files that need a closer look, as the body of a pull request lists them. */
  readonly flagged: readonly { readonly path: string; readonly why: string }[];
  /** Worst first: what is more than `annotationsMax` is left out. Untrusted text. */
  readonly annotations: readonly Annotation[];
  readonly runUrl: string | null;
};

type CheckRun = { readonly id: number; readonly url: string };

const checkRunName = "Baton";
/** What GitHub takes at once. */
export const annotationsMax = 50;
const pathMax = 1000;

/** The session's check run on that commit, by the key of its effect. Throws `HostUnavailable`. */
export async function findCheckRun(head: Sha, externalId: string, host: Host): Promise<CheckRun | null> {
  return (await host.checkRun?.find({ head, name: checkRunName, externalId })) ?? null;
}

/** Puts the evidence on the pushed commit, once; null where the host has no check runs. */
export async function makeCheckRun(
  facts: CheckRunFacts,
  tools: DeliverTools,
): Promise<EffectDone<CheckRun> | HostRefusal | null> {
  const { checkRun } = tools.host;
  return checkRun === null ? null : carryOut(checkRunEffect(facts, checkRun, tools.host), tools);
}

function checkRunEffect(facts: CheckRunFacts, checkRun: CheckRunHost, host: Host): Effect<CheckRun> {
  const { session, head, annotations, runUrl } = facts;
  const key = `${session}/check-run`;
  return {
    key,
    detail: JSON.stringify({ head }),
    find: async () => {
      try {
        const found = await findCheckRun(head, key, host);
        return found && done(found);
      } catch (error) {
        if (!(error instanceof HostForbidden)) throw error;
        return { kind: "refused", code: "forbidden", why: error.message };
      }
    },
    make: async () => {
      const made = await checkRun.create({
        ...{ head, name: checkRunName, externalId: key, detailsUrl: runUrl },
        conclusion: isBeyondDoubt(facts) ? "success" : "neutral",
        title: titleOf(facts),
        summary: summaryOf(facts),
        annotations: annotations.filter(isMarkable).slice(0, annotationsMax).map(harmless),
      });
      return made.kind === "made" ? done(made) : made;
    },
  };
}

/** Whoever sees only the mark is to see no success where the rest asks for a closer look. */
function isBeyondDoubt({ evidence, flagged }: CheckRunFacts): boolean {
  const isGreen = evidence.every(({ onTree }) => onTree === "green");
  return isGreen && flagged.length === 0 && fewerTests(evidence).length === 0 && !evidence.some(isUnproved);
}

function titleOf({ evidence, flagged }: CheckRunFacts): string {
  const green = evidence.filter(({ onTree }) => onTree === "green").length;
  const of = `${green} of ${evidence.length} ${evidence.length === 1 ? "check" : "checks"}`;
  const closely = new Set(flagged.map(({ path }) => path)).size;
  const files = `${closely} ${closely === 1 ? "file" : "files"}`;
  const doubts = [
    closely > 0 ? `${files} to look at closely` : "",
    fewerTests(evidence).length > 0 ? "fewer tests than on base" : "",
    evidence.some(isUnproved) ? "no proof" : "",
  ];
  return [`${of} green on exactly this tree`, ...doubts].filter((part) => part !== "").join(", ");
}

function summaryOf({ session, evidence, flagged, annotations }: CheckRunFacts): string {
  const isGreen = evidence.every(({ onTree }) => onTree === "green");
  const red = isGreen ? "" : "What is not green was not green on the base commit either.";
  const isCut = annotations.filter(isMarkable).length > annotationsMax;
  const parts = [
    evidenceTable(evidence),
    red,
    flaggedList(flagged),
    isCut ? `Only the first ${annotationsMax} places are marked in the files.` : "",
    `Baton session ${codeSpan(session)}.`,
  ];
  return fitBody(() => `${parts.filter((part) => part !== "").join("\n\n")}\n`);
}

/** A path is told as it is or not at all, since a mark under another name would be on another file. */
function isMarkable({ path }: Annotation): boolean {
  return path.length <= pathMax && oneLine(visible(path)) === path;
}

/** GitHub shows an annotation as plain text. */
function harmless({ level, path, line, title, message }: Annotation): Annotation {
  const plain = (text: string, max: number) => oneLine(withoutSecrets(visible(text))).slice(0, max);
  return { level, path, line, title: plain(title, 200), message: plain(message, 500) || "Look at this." };
}

function done({ id, url }: CheckRun): EffectDone<CheckRun> {
  return { kind: "done", value: { id, url }, detail: String(id), url };
}
