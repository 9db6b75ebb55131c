// Every write of a reference delivery, struck by every fault, and the session then brought to its end.
import { type Case, casesAt, pointsOf } from "./cases.ts";
import { judgeAll, judgeEnd, type Wrong } from "./judge.ts";
import { judgeGiven, judgePatches } from "./judge-patch.ts";
import { beginLife, endOf, type Lived } from "./life.ts";
import { type Ground, givenScene, openGround, type Scene, type SceneKind, scenes } from "./scene.ts";

const livesMax = 6;
const ofPatch = /ArtifactService|^PUT |\/comments(\/N)? #/;
/** A local GitHub that has seen this many is put aside: it looks through all that it has for some answers. */
const casesPerGround = 40;

export type Judged = {
  readonly name: string;
  readonly ends: readonly string[];
  readonly wrong: readonly Wrong[];
};

/** What `play` may find wrong, counted. */
export type Tally = {
  readonly cases: number;
  readonly duplicates: number;
  readonly missing: number;
  readonly wrongOutcomes: number;
};

/** All cases of these scenes, from a delivery of each in which nothing fails. Throws where that comes to no good end. */
export async function allCases(
  ground: Ground,
  kinds: readonly SceneKind[] = scenes,
): Promise<readonly Case[]> {
  const { github } = ground;
  const cases: Case[] = [];
  for (const kind of kinds) {
    const seen = github.exchanges.length;
    const { wrong, ends } = await playOn(ground, kind, null);
    if (wrong.length > 0) throw new Error(`${kind} without a fault: ${JSON.stringify({ wrong, ends })}`);
    const points = pointsOf(github.exchanges.slice(seen));
    // Its other writes are those of every scene.
    cases.push(...casesAt(kind, kind === "fork" ? points.filter(({ name }) => ofPatch.test(name)) : points));
  }
  const broken = github.problems();
  if (broken.length > 0) throw new Error(`requests against GitHub's contract: ${JSON.stringify(broken)}`);
  return cases;
}

/** So many of them, spread over all scenes, points and faults. */
export function sampleOf(cases: readonly Case[], most: number): readonly Case[] {
  const step = 7919;
  return cases.flatMap((_, i) => (i < most ? (cases[(i * step) % cases.length] ?? []) : []));
}

export async function sweep(cases: readonly Case[], onPlayed: (judged: Judged) => void): Promise<Tally> {
  const wrong: Wrong[] = [];
  for (let first = 0; first < cases.length; first += casesPerGround) {
    await using ground = await openGround();
    for (const one of cases.slice(first, first + casesPerGround)) {
      const judged = await playCase(ground, one);
      onPlayed(judged);
      wrong.push(...judged.wrong);
    }
  }
  const of = (kind: Wrong["kind"]): number => wrong.filter((one) => one.kind === kind).length;
  return {
    cases: cases.length,
    duplicates: of("duplicate"),
    missing: of("missing"),
    wrongOutcomes: of("outcome"),
  };
}

export function playCase(ground: Ground, one: Case): Promise<Judged> {
  return playOn(ground, one.scene, one);
}

async function playOn(ground: Ground, kind: SceneKind, struck: Case | null): Promise<Judged> {
  const scene = await givenScene(ground, kind);
  const { github } = scene;
  const lives: Lived[] = [];
  const wrong: Wrong[] = [];
  let hits = 0;
  let die: (() => void) | null = null;
  if (struck !== null) {
    const { point, fault, kills } = struck;
    const { method, path, nth } = point;
    const hit = (): void => {
      hits += 1;
      if (fault.lasts) github.fail(fault.lasts);
      if (kills) die?.();
    };
    github.fail({ method, path, skip: nth - 1, ...fault.rule, struck: hit });
  }
  for (let next: Asked | null = asksFirst(scene); next !== null && lives.length < livesMax; ) {
    const life = beginLife(scene, next);
    die = life.die;
    const lived = await life.lived;
    lives.push(lived);
    if (hits > 0) github.heal();
    wrong.push(...judgeEnd(scene, lived));
    if (kind === "fork") wrong.push(...(await judgeGiven(scene, lived)));
    next = asksNext(scene, lives);
  }
  if (struck !== null && hits === 0) wrong.push({ kind: "outcome", what: "the fault struck nothing" });
  wrong.push(...judgeAll(scene, lives));
  if (kind === "fork") wrong.push(...judgePatches(scene, lives));
  github.heal();
  return { name: struck?.name ?? kind, ends: lives.map(({ end }) => endOf(end)), wrong };
}

type Asked = { readonly says: string; readonly comment: number };

function asksFirst({ says, comment }: Scene): Asked {
  return { says, comment };
}

/** What a person does then: answers, resumes, or has the job run again. Null where there is nothing left to do. */
function asksNext(scene: Scene, lives: readonly Lived[]): Asked | null {
  const end = lives.at(-1)?.end;
  const before = lives.at(-2)?.end;
  if (end === undefined || end.kind === "died") return asksFirst(scene);
  const { github, thread, stage } = scene;
  const says = (text: string): Asked => ({
    says: text,
    comment: github.comment({ issue: thread, body: text, by: "octo" }).id,
  });
  // Where GitHub took no comment, the summary told whoever looked there.
  const isTold = github.comments(thread).some(({ user }) => user?.login !== "octo");
  if (end.kind === "needs-input" && isTold) return says("@baton Yes, both.");
  const isNotFound = end.kind === "refused" && end.reason === "not-found";
  if (scene.kind === "help") return end.kind === "threw" ? asksFirst(scene) : null;
  // Where nothing was stored there is nothing to resume, and the command is given again.
  if (isNotFound && before?.kind !== "refused") return asksFirst(scene);
  if (["threw", "suspended", "needs-input"].includes(end.kind)) return says(`@baton resume ${stage.session}`);
  return null;
}
