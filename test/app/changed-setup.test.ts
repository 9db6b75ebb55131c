import { describe, expect, it } from "vitest";
import type { Orders } from "../../src/app/means.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { entriesOf } from "../kit/race/memory-workspace.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const manifestOf = (dependencies: object): string => JSON.stringify({ dependencies });
const before = manifestOf({});
const wanted = manifestOf({ "left-pad": "1.3.0" });
const other = manifestOf({ "left-pad": "1.2.0" });
const missing = manifestOf({ missing: "1.0.0" });

const write = (path: string, text: string) => ({ name: "write", input: { path, text } });
const writes = (...calls: readonly ReturnType<typeof write>[]): Step => ({ calls });
const install = (text: string): Step => writes(write("package.json", text));
const done: Step = { text: "Use left-pad" };

const checks: Orders["checks"] = ["second", "installed"].map((name) => {
  return { name, run: name, minutes: 5, proof: false, dir: "", network: false };
});

/** A session in which the model does these steps; setup leaves what it installed in a file that git does not ignore. */
function given(steps: readonly Step[], orders: Partial<Orders> = {}) {
  const stage = givenStage({ files: { "package.json": before } });
  const model = tellsStory(steps);
  const next = (options: LifeOptions = {}): Promise<Played> =>
    live(stage, { model, ...options, orders: { setup: ["install"], checks, ...orders, ...options.orders } });
  return { stage, next };
}

const typesIn = (life: Played) => eventsOf(life).map(({ type }) => type);
const requested = (life: Played) =>
  eventsOf(life).flatMap((event) => (event.type === "approval.requested" ? [event.id] : []));
const findings = (life: Played) =>
  eventsOf(life).flatMap((event) =>
    event.type === "gate.failed" && event.findings.type === "inline" ? [event.findings.text] : [],
  );
const asks = ({ github }: Stage) => github.comments.filter(({ body }) => body.includes(":approval:"));

/** The files of the branch that was published. */
function published({ github }: Stage): readonly string[] {
  const [, sha] = [...github.branches].find(([name]) => name !== "main") ?? [];
  if (sha === undefined) throw new Error("no branch was made");
  return [...(github.commits.get(sha)?.entries?.keys() ?? [])].toSorted();
}

describe("a change of what setup installs from", () => {
  it("runs nothing of setup and no check on it before a person has allowed it, and shows what would run", async () => {
    const { stage, next } = given([install(wanted), done]);
    const first = await next();
    expect(first.end).toMatchObject({ kind: "needs-input", reason: "approval", resumable: true, exit: 0 });
    expect(first.ran).toEqual(["setup", "write call_1_1"]);
    const [id = ""] = requested(first);
    expect(id).toMatch(/^setup_[0-9a-f]{32}$/);
    const [ask, ...more] = asks(stage);
    expect(more).toEqual([]);
    expect(ask?.body).toContain("Baton wants to run setup on files that the change brings");
    expect(ask?.body).toContain("```sh\ninstall\n```");
    expect(ask?.body).toContain("<code>package.json</code> (modified)");
    expect(ask?.body).toContain("<code>left-pad</code>: added, 1.3.0");
    expect(ask?.body).toContain(`-${before}`);
    expect(ask?.body).toContain(`+${wanted}`);
    expect(ask?.body).toContain(`approve ${id.replaceAll("_", "&#95;")}`);
    const status = stage.github.comments[0]?.body;
    expect(status).toContain(`Setup on what the change installs (${id}) waits for approval.`);
    expect(endOf(await next({ asks: "resume" }))).toBe("needs-input/approval");
    expect(asks(stage)).toHaveLength(1);
  });

  it("is set up once it is allowed, in a place of its own, and is published without what setup left", async () => {
    const { stage, next } = given([install(wanted), done]);
    await next();
    const last = await next({ says: "@baton approve" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(last.requests).toEqual([]);
    const both = ["check second", "check second", "check installed", "check installed"];
    expect(last.ran).toEqual(["setup", `setup on ${wanted}`, ...both]);
    expect(published(stage)).toEqual(["a.txt", "b.txt", "package.json"]);
    expect(stage.github.pulls[0]?.body).toContain("setup ran on it here, as octo allowed");
    const [id] = requested(last);
    const setups = eventsOf(last).filter(({ type }) => /^setup\./.test(type));
    expect(setups.slice(-2)).toEqual([
      { type: "setup.started", commands: ["install"], approval: id },
      expect.objectContaining({ type: "setup.settled", ok: true, tree: null, approval: id }),
    ]);
    // Both were green on the setup that is theirs: the base on its own, the change on the one that was allowed.
    expect(stage.github.pulls[0]?.body).toMatch(/<code>installed<\/code>.*\| green \| green \|/);
  });

  it("is checked with what setup made of these files, and published with them as they were shown", async () => {
    const { stage, next } = given([install(wanted), done], { setup: ["rewrite", "install"] });
    await next();
    expect(endOf(await next({ says: "@baton approve" }))).toBe("pull-request/opened");
    const [, sha] = [...stage.github.branches].find(([name]) => name !== "main") ?? [];
    const blob = sha === undefined ? null : stage.github.commits.get(sha)?.entries?.get("package.json")?.blob;
    expect(blob).toBe(entriesOf(new Map([["package.json", wanted]])).get("package.json")?.blob);
  });

  it("is allowed as well where the run died that has asked for it, before it had recorded its end", async () => {
    const { next } = given([install(wanted), done]);
    expect((await next({ death: at("run.suspended", "approval", "before") })).end).toBe("died");
    const last = await next({ says: "@baton approve" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(typesIn(last)).not.toContain("approval.abandoned");
  });

  it("keeps its approval while only other files change, and asks again when one of these does", async () => {
    const red = writes(write("package.json", wanted), write("a.txt", "fixed\n"));
    const fix = writes(write("b.txt", "fixed\n"));
    const steps = [red, done, fix, done];
    const { stage, next } = given(steps);
    await next();
    const last = await next({ says: "@baton approve" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(requested(last)).toHaveLength(1);
    expect(last.ran.filter((one) => one.startsWith("setup"))).toEqual(["setup", `setup on ${wanted}`]);
    expect(published(stage)).toEqual(["a.txt", "b.txt", "package.json"]);

    const again = given([red, done, writes(write("package.json", other), write("b.txt", "fixed\n")), done]);
    await again.next();
    const second = await again.next({ says: "@baton approve" });
    expect(endOf(second)).toBe("needs-input/approval");
    expect(second.ran).not.toContain(`setup on ${other}`);
    expect(new Set(requested(second)).size).toBe(2);
    expect(asks(again.stage)).toHaveLength(2);
    const third = await again.next({ says: "@baton approve" });
    expect(endOf(third)).toBe("pull-request/opened");
    expect(third.ran).toContain(`setup on ${other}`);
  });

  it("asks again when the commands are others", async () => {
    const { next } = given([install(wanted), done]);
    await next();
    const other = { setup: ["install", "more"] };
    const last = await next({ says: "@baton approve", orders: other });
    expect(endOf(last)).toBe("needs-input/approval");
    expect(last.ran).toEqual(["setup"]);
    expect(new Set(requested(last)).size).toBe(2);
  });

  it("goes back to the model once it is denied, and the same again is refused without asking", async () => {
    const { stage, next } = given([
      install(wanted),
      done,
      install(before),
      writes(write("c.txt", "c")),
      done,
    ]);
    const [id] = requested(await next());
    const denied = await next({ says: `@baton deny ${id}` });
    expect(endOf(denied)).toBe("pull-request/opened");
    expect(findings(denied)[0]).toContain("octo did not allow setup to run");
    expect(findings(denied)[0]).toContain("- package.json");
    expect(published(stage)).toEqual(["a.txt", "b.txt", "c.txt", "package.json"]);

    const stubborn = given([install(wanted), done, done, done]);
    await stubborn.next();
    const end = await stubborn.next({ says: "@baton deny" });
    expect(endOf(end)).toBe("gate-failed/setup-denied");
    expect(requested(end)).toHaveLength(1);
    expect(end.ran).toEqual(["setup"]);
    expect(stubborn.stage.github.branches.size).toBe(1);
  });

  it("is denied by whatever else a person says, which the model is told", async () => {
    const { next } = given([install(wanted), done, install(before), writes(write("c.txt", "c")), done]);
    await next();
    const said = await next({ says: "@baton without a package, please" });
    expect(endOf(said)).toBe("pull-request/opened");
    const told = JSON.stringify(said.requests[0]?.messages.at(-1));
    expect(told).toContain("a person did not allow setup on what you changed of its files.");
    expect(told).toContain("without a package, please");
    expect(said.ran.filter((one) => one.startsWith("setup"))).toEqual(["setup"]);
  });

  it("is not denied by words from before it was asked for, which the model is told once that is answered", async () => {
    const { stage, next } = given([install(wanted), done, writes(write("c.txt", "c")), done]);
    // The comment that asks comes after it.
    stage.github.nextId = 1000;
    await next();
    const said = await next({ says: "@baton and write c.txt", comment: 900 });
    expect(endOf(said)).toBe("needs-input/approval");
    expect([said.requests, asks(stage).length]).toEqual([[], 1]);
    const last = await next({ says: "@baton approve", comment: 1900 });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(JSON.stringify(last.requests[0]?.messages.at(-1))).toContain("and write c.txt");
    expect(last.ran).toContain(`setup on ${wanted}`);
    expect(published(stage)).toEqual(["a.txt", "b.txt", "c.txt", "package.json"]);
  });

  it("is allowed by nobody who may not command", async () => {
    const { next } = given([install(wanted), done]);
    await next();
    expect(endOf(await next({ says: "@baton approve", by: "eve" }))).toBe("refused/not-allowed");
  });

  it("goes back to the model where setup fails on it, with its command and what it printed", async () => {
    const { stage, next } = given([install(missing), done, install(wanted), done]);
    await next();
    const failed = await next({ says: "@baton approve" });
    expect(endOf(failed)).toBe("needs-input/approval");
    const [text = ""] = findings(failed);
    expect(text).toContain("Setup was run on the base with your package.json, as octo allowed, and failed.");
    expect(text).toContain("Its command `install` ended with exit code 3:");
    expect(text).toContain("no such package");
    expect(typesIn(failed).filter((type) => type === "setup.settled")).toHaveLength(3);
    expect(endOf(await next({ says: "@baton approve" }))).toBe("pull-request/opened");
    expect(published(stage)).toEqual(["a.txt", "b.txt", "package.json"]);
  });

  it("is only flagged where there is no setup, and what was found so is not used where there is one", async () => {
    const none = { setup: [], checks: checks?.slice(0, 1) ?? null };
    const { stage, next } = given([install(wanted), done], none);
    const death: Death = { at: "files.append", event: "gate.passed", when: "after" };
    expect((await next({ death })).end).toBe("died");
    const asked = await next({ asks: "resume", orders: { setup: ["install"] } });
    expect(endOf(asked)).toBe("needs-input/approval");
    const last = await next({ says: "@baton approve", orders: { setup: ["install"] } });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(last.ran).toContain("check second");
    expect(stage.github.pulls[0]?.body).toContain("it decides what is installed; setup ran on it here");
  });
});

/** Lives one life after another, one of them with this death, allowing whatever is asked, until it is published. */
async function driven(
  { stage, next }: ReturnType<typeof given>,
  {
    death,
    nth,
    machine,
  }: { readonly death: Death; readonly nth: number; readonly machine: "survives" | "lost" },
): Promise<readonly Played[]> {
  const lives: Played[] = [];
  const play = async (options: LifeOptions): Promise<Played> => {
    const mortal = lives.length === nth ? { death, machine } : {};
    const life = await next({ ...options, ...mortal });
    lives.push(life);
    return life;
  };
  let last = await play({});
  for (let turn = 0; turn < 8; turn += 1) {
    const end = endOf(last);
    if (end === "pull-request/opened") return lives;
    if (end === "needs-input/approval") last = await play({ says: "@baton approve" });
    else if (end === "died") last = await play({ asks: "resume" });
    else if (end === "refused/not-found") last = await play({});
    else throw new Error(`nobody knows how to go on from ${end}: ${JSON.stringify(last.end)}`);
  }
  throw new Error(`it never came to an end: ${stage.session}`);
}

const at = (event: SessionEvent["type"], of: string, when: Death["when"]): Death => {
  return { at: "files.append", event, of, when };
};
const whens = ["before", "torn", "after"] as const;
const deaths: readonly (readonly [number, Death])[] = [
  ...whens.map((when) => [0, at("approval.requested", "setup_", when)] as const),
  ...whens.map((when) => [0, at("effect.intended", "/approval/setup_", when)] as const),
  ...(["before", "after"] as const).map((when) => [0, { at: "host.comment.create", nth: 2, when }] as const),
  ...whens.map((when) => [0, at("effect.settled", "/approval/setup_", when)] as const),
  ...whens.map((when) => [0, at("run.suspended", "approval", when)] as const),
  ...whens.map((when) => [1, at("approval.granted", "setup_", when)] as const),
  ...whens.map((when) => [1, at("setup.started", "approval", when)] as const),
  ...(["before", "after"] as const).map((when) => [1, { at: "rooms.setup", nth: 2, when }] as const),
  ...whens.map((when) => [1, at("setup.settled", "approval", when)] as const),
  ...whens.map((when) => [1, at("check.settled", "change", when)] as const),
  ...whens.map((when) => [1, at("gate.passed", "definitions", when)] as const),
];

/** What is lost with a machine does not depend on how it was written there. */
const deathsOn = { survives: deaths, lost: deaths.filter(([, { when }]) => when === "after") };

describe.each(["survives", "lost"] as const)("a run that dies around it, whose machine %s,", (machine) => {
  it.each(
    deathsOn[machine].map(
      ([nth, death]) => [`${death.when} ${death.event ?? death.at}`, nth, death] as const,
    ),
  )("asks once, and runs setup on it only once that is allowed: %s", async (_title, nth, death) => {
    const story = given([install(wanted), done]);
    const lives = await driven(story, { death, nth, machine });
    expect(lives[nth]?.end).toBe("died");
    const last = lives.at(-1);
    if (last === undefined) throw new Error("nobody lived");
    const types = typesIn(last);
    const granted = types.indexOf("approval.granted");
    const events = eventsOf(last);
    const first = events.findIndex((event) => event.type === "setup.started" && event.approval !== undefined);
    expect(granted).toBeGreaterThan(0);
    expect(first).toBeGreaterThan(granted);
    expect(types.filter((type) => type === "approval.granted")).toHaveLength(1);
    expect(types.filter((type) => type === "approval.requested")).toHaveLength(1);
    expect(asks(story.stage)).toHaveLength(1);
    expect(story.stage.github.pulls).toHaveLength(1);
    expect(published(story.stage)).toEqual(["a.txt", "b.txt", "package.json"]);
  });
});
