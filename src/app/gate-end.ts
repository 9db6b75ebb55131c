import { limits } from "../base/limits.ts";
import { cutText } from "../base/lines.ts";
import type { Suspicion } from "../gate/suspicion.ts";
import type { Finding } from "../gate/verdict.ts";
import type { SessionEvent } from "../session/event.ts";
import type { Ended } from "./end-work.ts";
import type { Judgement } from "./judge-work.ts";
import { allIsKept } from "./outcome.ts";

type Failed = Extract<Judgement, { kind: "failed" }>;

/**
 * How many rounds were red since a person said something: with their words they count anew. Work that is judged twice,
 * because a run died, makes one round.
 */
export function redRounds(events: Iterable<SessionEvent>): number {
  return roundsIn(events).red;
}

/** Whether the last round was red and none is left: the run that knew it died before it had recorded the end. */
export function isOutOfRounds(events: Iterable<SessionEvent>): boolean {
  const { red, isLast } = roundsIn(events);
  return isLast && red >= limits.gateRoundsMax;
}

/** `isLast`: nothing was done since the last red one. */
function roundsIn(events: Iterable<SessionEvent>): { readonly red: number; readonly isLast: boolean } {
  let red = 0;
  let isLast = false;
  for (const { type } of events) {
    if (type === "input.accepted") red = 0;
    if (type === "gate.failed" && !isLast) red += 1;
    if (type === "gate.failed") isLast = true;
    if (/^(input\.accepted|reply\.requested|gate\.passed)$/.test(type)) isLast = false;
  }
  return { red, isLast };
}

/** The end of a session of which the gate let nothing through: a sentence of its own for each cause, and what to do. */
export function gateEnd(failed: Failed, rounds: number): Ended {
  const detail = `${afterRounds(rounds)} ${whyIn(failed)} ${allIsKept}`;
  return { kind: "gate-failed", reason: failed.cause, detail };
}

function afterRounds(rounds: number): string {
  return `After ${rounds} ${rounds === 1 ? "round" : "rounds"}`;
}

function whyIn({ cause, findings, paths, suspicions }: Failed): string {
  switch (cause) {
    case "checks":
      return `${redChecks(findings)}. Nothing was published.`;
    case "protected":
      return `the change still touches what is never published: ${listed(paths)}. Nothing was published. Make that part of it yourself, or say how to do without it.`;
    case "size":
      return `the change is still larger than \`limits\` in the configuration allows. Nothing was published. Say how to do less at once, or raise what is over: ${listed(paths)}.`;
    case "credentials":
      return `the change still holds what looks like a credential${paths.length === 0 ? "" : `: ${listed(paths)}`}. Nothing was published. Say how to do without it; what was a real one has to be replaced where it was issued.`;
    case "setup":
      return `setup still fails with what the change has it install: ${listed(paths)}. Nothing was published. Say what to do differently.`;
    case "setup-denied":
      return `the change still touches what setup installs from, which a person did not allow: ${listed(paths)}. Nothing was published. Say how to do without it.`;
    case "tampering":
      return `the change still touches what could make the checks pass without the work being done: ${suspected(suspicions)}. Nothing was published, because the configuration says \`tamper: refuse\`. Say how to do without that, or set \`tamper: flag\` to have it published with a word about each.`;
  }
}

function redChecks(findings: readonly Finding[]): string {
  const named = (kinds: readonly Finding["kind"][]) =>
    listed(findings.flatMap(({ kind, check }) => (kinds.includes(kind) ? [check] : [])));
  const red = named(["broke", "already-red", "nothing-green"]);
  const unproved = named(["unproved"]);
  const idle = named(["nothing-ran"]);
  const fewer = named(["fewer-tests"]);
  const said = [
    red === "" ? "" : `these checks are still red: ${red}`,
    idle === "" ? "" : `these run no test: ${idle}`,
    unproved === "" ? "" : `the tests of the change do not prove it by: ${unproved}`,
    fewer === "" ? "" : `these run fewer tests than on base: ${fewer}`,
  ];
  return said.filter((text) => text !== "").join("; ");
}

const listedMax = 10;
const reasonsMax = 3;

/** Each path with why it was found, which may quote what was changed. */
function suspected(suspicions: readonly Suspicion[]): string {
  const byPath = [...Map.groupBy(suspicions, ({ path }) => path)];
  const shown = byPath.slice(0, listedMax).map(([path, found]) => {
    const whys = found.slice(0, reasonsMax).map(({ why }) => cutText(why.replaceAll(/\s+/g, " "), 150));
    return `${cutText(path, 200)} (${whys.join("; ")}${andMore(found.length - whys.length)})`;
  });
  return `${shown.join(", ")}${andMore(byPath.length - shown.length)}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, listedMax).map((name) => cutText(name, 200));
  return `${shown.join(", ")}${andMore(names.length - shown.length)}`;
}

function andMore(more: number): string {
  return more > 0 ? ` and ${more} more` : "";
}
