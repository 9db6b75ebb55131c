import type { Sha, Tree } from "../base/hash.ts";
import { annotationsMax, makeCheckRun } from "../delivery/check-run.ts";
import type { EffectTools } from "../delivery/effect.ts";
import type { Annotation } from "../delivery/host.ts";
import { changedLine } from "../gate/changed-line.ts";
import { failingLines } from "../gate/failing-lines.ts";
import type { SessionEvent } from "../session/event.ts";
import { eventsOf } from "../session/journal.ts";
import type { Judgement } from "./judge-work.ts";
import { sentenceOf } from "./outcome.ts";
import type { Work } from "./work.ts";

type Passed = Extract<Judgement, { kind: "passed" }>;

/** Puts the evidence on the commit that was pushed. It proves nothing new, so what refuses it is said and no more. */
export async function reportChecks(
  work: Work,
  judged: Passed,
  { head, tools }: { readonly head: Sha; readonly tools: EffectTools },
): Promise<void> {
  const { identity, means, board } = work;
  if (means.host.checkRun === null) return;
  const [closely, failing] = [await flaggedPlaces(work, judged), await failingPlaces(work, judged)];
  const isNotice = ({ level }: Annotation) => level === "notice";
  const annotations = [
    ...closely.filter((one) => !isNotice(one)),
    ...failing,
    ...closely.filter((one) => isNotice(one)),
  ];
  const { session } = identity;
  const { evidence, flagged } = judged;
  const facts = { session, head, evidence, flagged, annotations, runUrl: means.run.url };
  const made = await makeCheckRun(facts, { ...tools, host: means.host });
  if (made?.kind === "refused" && made.code !== "fenced")
    board.offer(sentenceOf(`There is no check run with the evidence on ${head}: ${made.why}`));
}

/** Most places that an output names are of the runner, or of packages. */
const lookedAtMax = 100;

/** What the gate flagged, where it stands in the pushed tree; the first line where that is not known. */
async function flaggedPlaces({ workspace }: Work, judged: Passed): Promise<readonly Annotation[]> {
  const { objects, baseTree } = workspace;
  const { tree } = judged.candidate;
  const read = async (at: Tree, path: string) => {
    const bytes = await objects.fileAt(at, path);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  const places: Annotation[] = [];
  for (const { path, why, kind, at } of judged.flagged) {
    // What is not marked needs no line.
    const isRead = places.length < annotationsMax;
    const line = isRead
      ? changedLine({ before: await read(baseTree, path), after: await read(tree, path) }, at)
      : 1;
    // What decides what is installed is for a person to know, and rarely wrong.
    const level = kind === "dependencies" ? "notice" : "warning";
    places.push({ level, path, line, title: "Look at this closely", message: sentenceOf(why) });
  }
  return places;
}

/** Where checks that stay red, as they were on base, say that they fail; of paths in the pushed tree. */
async function failingPlaces({ journal, workspace }: Work, judged: Passed): Promise<readonly Annotation[]> {
  const red = judged.evidence.filter(({ onTree }) => onTree === "red");
  if (red.length === 0) return [];
  const { tree } = judged.candidate;
  const events = await eventsOf(journal);
  const annotations: Annotation[] = [];
  let looks = 0;
  for (const { check, dir } of red) {
    const ran = events.findLast((event) => isOf(event, check, tree));
    if (ran?.type !== "check.settled") continue;
    for (const { path, line, message } of failingLines(await journal.load(ran.output))) {
      if (annotations.length >= annotationsMax || looks >= lookedAtMax) return annotations;
      looks += 1;
      const at = await inTree(candidatesFor(path, dir), line, async (one) =>
        workspace.objects.fileAt(tree, one),
      );
      if (at !== null) annotations.push({ level: "failure", path: at, line, title: check, message });
    }
  }
  return annotations;
}

function isOf(event: SessionEvent, check: string, tree: string): boolean {
  return (
    event.type === "check.settled" && event.check === check && event.on === "change" && event.tree === tree
  );
}

const depthMax = 12;

/** A relative path is one from where the check ran, else from the root; an absolute one ends in a path of the tree. */
function candidatesFor(path: string, dir: string): readonly string[] {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return [];
  const whole = names.join("/");
  if (!path.startsWith("/")) return dir === "" ? [whole] : [`${dir}/${whole}`, whole];
  return names.slice(0, depthMax).map((_, at) => names.slice(at).join("/"));
}

async function inTree(
  paths: readonly string[],
  line: number,
  fileAt: (path: string) => Promise<Uint8Array | null>,
): Promise<string | null> {
  for (const path of paths) {
    const bytes = await fileAt(path);
    if (bytes !== null && line <= Buffer.from(bytes).toString("latin1").split("\n").length) return path;
  }
  return null;
}
