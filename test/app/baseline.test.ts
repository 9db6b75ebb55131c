import { describe, expect, it } from "vitest";
import { treeIdOf } from "../../src/adapters/memory/git-objects.ts";
import type { Means } from "../../src/app/means.ts";
import type { Check, CheckRun } from "../../src/gate/checks.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { evolve, initialState, type State } from "../../src/session/state.ts";
import { expectFinished } from "../faults/given-window.ts";
import { entriesOf } from "../kit/race/memory-workspace.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

type Told = Pick<CheckRun, "exitCode" | "output">;
type Answer = (check: Check, on: "base" | "change", signal: AbortSignal) => Promise<Told> | Told;

const baseTree = treeIdOf(entriesOf(givenStage().base.files));
const green: Told = { exitCode: 0, output: "ok" };
const red: Told = { exitCode: 1, output: "it is wrong" };
const spare = (): Partial<Means> => ({ spareCore: true });

/** Checks of our own in place of the story's: whatever is not base is the change. */
function answers(answer: Answer): LifeOptions {
  const over = ({ rooms }: Means): Partial<Means> => ({
    spareCore: true,
    rooms: {
      ...rooms,
      checks: () => ({
        checkout: async (tree) => ({
          run: async (check, { signal }) => {
            const told = await answer(check, tree === baseTree ? "base" : "change", signal);
            return { ...told, timedOut: false, cancelled: false, ms: 1000 };
          },
          [Symbol.asyncDispose]: async () => undefined,
        }),
      }),
    },
  });
  return { over };
}

/** `base first beside: exit 0`, or without the end where it has none, in the order of the log. */
function checksIn(events: readonly SessionEvent[]): readonly string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.type !== "check.started" && event.type !== "check.settled") continue;
    const name = `${event.on} ${event.check}${event.beside ? " beside" : ""}`;
    if (event.type === "check.started") lines.push(name);
    else lines[lines.lastIndexOf(name)] = `${name}: exit ${event.exitCode}`;
  }
  return lines;
}

function stateOf(events: readonly SessionEvent[]): State {
  return events.reduce(evolve, initialState);
}

const last = (events: readonly SessionEvent[], type: SessionEvent["type"]): number =>
  events.findLastIndex((event) => event.type === type);

const fixed: readonly Step[] = [
  { calls: [{ name: "write", input: { path: "b.txt", text: "fixed\n" } }] },
  { text: "Fix b" },
];
const besideBoth = ["base first beside: exit 0", "base second beside: exit 0"];

describe("the checks on base", () => {
  it("run beside the model's work, and the gate takes what was green", async () => {
    const stage = givenStage();
    const played = await live(stage, { model: tellsStory(fixed), over: spare });
    expect(endOf(played)).toBe("pull-request/opened");
    const events = eventsOf(played);
    expect(checksIn(events)).toEqual([...besideBoth, "change first: exit 0", "change second: exit 0"]);
    const settled = events.findIndex((event) => event.type === "check.settled");
    expect(settled).toBeLessThan(last(events, "turn.ended"));
    expect(stage.github.pulls[0]?.body).toMatch(/second<\/code> \| .* \| green \| green \|/);
  });

  it("count no active time, and are no round under way", async () => {
    const played = await live(givenStage(), { ...answers(() => green), model: tellsStory(fixed) });
    const events = eventsOf(played);
    const [began, ended] = ["check.started", "check.settled"].map((type) =>
      events.findIndex((event) => event.type === type),
    );
    expect(stateOf(events.slice(0, (began ?? 0) + 1)).gate).toMatchObject({ running: false, base: {} });
    const before = stateOf(events.slice(0, ended));
    const after = stateOf(events.slice(0, (ended ?? 0) + 1));
    expect(after.activeMs).toBe(before.activeMs);
    expect(after.gate.base).toEqual({ first: { exitCode: 0, timedOut: false, ms: 1000 } });
    // Those of the round count.
    expect(stateOf(events).activeMs - after.activeMs).toBeGreaterThanOrEqual(2000);
  });

  it("run once more at the gate where they were not green beside the work, and only that counts", async () => {
    let runs = 0;
    const flaky: Answer = ({ name }, on) => {
      if (name === "first") return green;
      runs += on === "base" ? 1 : 0;
      return on === "base" && runs > 1 ? green : red;
    };
    const played = await live(givenStage(), {
      ...answers(flaky),
      model: tellsStory([...fixed, ...Array<Step>(2).fill({ text: "It is done." })]),
    });
    expect(checksIn(eventsOf(played)).slice(0, 5)).toEqual([
      "base first beside: exit 0",
      "base second beside: exit 1",
      "change first: exit 0",
      "base second: exit 0",
      "change second: exit 1",
    ]);
    expect(endOf(played)).toBe("gate-failed/checks");
  });

  it.each<[string, LifeOptions, string | undefined]>([
    ["has no core to spare", {}, undefined],
    ["runs the model's commands without a sandbox", { over: spare }, undefined],
    ["is told so by the configuration", { over: spare }, "baseline: gate\n"],
  ])("are left to the gate where the run %s", async (title, options, config) => {
    const sandbox = title.includes("sandbox") ? "off" : "on";
    const stage = givenStage({ sandbox, ...(config === undefined ? {} : { config }) });
    const played = await live(stage, { ...options, model: tellsStory(fixed) });
    expect(endOf(played)).toBe("pull-request/opened");
    const order = ["base first", "change first", "base second", "change second"];
    expect(checksIn(eventsOf(played))).toEqual(order.map((one) => `${one}: exit 0`));
  });

  it("are left to the gate where no checkout can be made beside the work, and the job's log says so", async () => {
    let asked = 0;
    const over = ({ rooms }: Means): Partial<Means> => ({
      spareCore: true,
      rooms: {
        ...rooms,
        checks: (...given) => {
          const { checkout } = rooms.checks(...given);
          return {
            checkout: async (...tree) => {
              asked += 1;
              if (asked > 1) return checkout(...tree);
              throw new Error("no checkout", { cause: new Error("the disk is full") });
            },
          };
        },
      },
    });
    const played = await live(givenStage(), { model: tellsStory(fixed), over });
    expect(endOf(played)).toBe("pull-request/opened");
    expect(checksIn(eventsOf(played))).toEqual([
      "base first beside",
      ...["base first", "change first", "base second", "change second"].map((one) => `${one}: exit 0`),
    ]);
    expect(played.said.join("\n")).toMatch(
      /^The checks are run on base later, by the gate: cannot run the check first on tree \w+: no checkout: the disk is full$/m,
    );
  });

  it("that are under way when the gate is reached are waited for, and the gate runs the others", async () => {
    const reached = Promise.withResolvers<void>();
    const options = answers(async ({ name }, on) => {
      if (name === "first" && on === "base") await reached.promise;
      return green;
    });
    const over = (means: Means): Partial<Means> => ({
      ...options.over?.(means),
      model: {
        reply: async (request, given) => {
          const reply = await tellsStory(fixed).reply(request, given);
          if (request.messages.length > 2) setImmediate(() => setImmediate(reached.resolve));
          return reply;
        },
      },
    });
    const played = await live(givenStage(), { over });
    expect(endOf(played)).toBe("pull-request/opened");
    expect(checksIn(eventsOf(played))).toEqual([
      "base first beside: exit 0",
      "change first: exit 0",
      "base second: exit 0",
      "change second: exit 0",
    ]);
  });

  it("record nothing after the end of the run, however late they come to theirs", async () => {
    const stage = givenStage();
    const after = Promise.withResolvers<void>();
    let aborted = false;
    const late = answers(async (_check, _on, signal) => {
      await after.promise;
      aborted = signal.aborted;
      return green;
    });
    const hasEnded = (): boolean => stage.processes.some((one) => last(eventsOf(one), "run.suspended") >= 0);
    const over = (means: Means): Partial<Means> => ({
      ...late.over?.(means),
      shelf: {
        ...means.shelf,
        put: async (...given) => {
          if (hasEnded()) after.resolve();
          return means.shelf.put(...given);
        },
      },
    });
    const question = { name: "ask", input: { question: "Which one?" } };
    const played = await live(stage, { over, model: tellsStory([{ calls: [question] }]) });
    expect(endOf(played)).toBe("needs-input/question");
    expect([aborted, checksIn(eventsOf(played))]).toEqual([true, ["base first beside"]]);
  });

  it("that the log knows are not run again in a later run, and one that was cut is begun anew beside", async () => {
    const stage = givenStage();
    const at = (nth: number): Death => ({ at: "files.append", event: "check.started", nth, when: "after" });
    const died = await live(stage, { death: at(2), over: spare });
    expect([endOf(died), checksIn(eventsOf(died))]).toEqual(["died", [besideBoth[0], "base second beside"]]);
    const resumed = await live(stage, { asks: "resume", over: spare });
    expect(endOf(resumed)).toBe("pull-request/opened");
    expect(checksIn(eventsOf(resumed)).filter((line) => line.startsWith("base"))).toEqual([
      besideBoth[0],
      "base second beside",
      besideBoth[1],
    ]);
    expect(resumed.ran.filter((one) => one === "check first")).toHaveLength(2);
    expect(JSON.stringify(resumed.requests[0])).not.toContain("while the checks ran");
  });
});

describe("a session of which two runs have died", () => {
  it("leaves the checks on base to the gate, so that its machine does one thing at a time", async () => {
    const stage = givenStage();
    const death = { at: "files.append", event: "check.started", when: "after" } as const;
    await live(stage, { death, over: spare });
    await live(stage, { death, over: spare, asks: "resume" });
    const third = await live(stage, { over: spare, asks: "resume" });
    expect(endOf(third)).toBe("pull-request/opened");
    expect(checksIn(eventsOf(third)).slice(0, 4)).toEqual([
      "base first beside",
      "base first beside",
      "base first: exit 0",
      "change first: exit 0",
    ]);
  });
});

describe("a run that dies at any record while checks run on base beside it", () => {
  it("is gone on with to the same end, and no check that was green on base runs there again", async () => {
    const whole = await live(givenStage(), { over: spare });
    const seen = new Map<string, number>();
    const deaths = eventsOf(whole).map(({ type }) => {
      const nth = (seen.get(type) ?? 0) + 1;
      seen.set(type, nth);
      return { at: "files.append", event: type, nth, when: "after" } as const;
    });
    for (const death of deaths) await expectGoneOn(death);
  });
});

async function expectGoneOn(death: Death): Promise<void> {
  const stage = givenStage();
  const died = await live(stage, { death, over: spare });
  expect(endOf(died)).toBe("died");
  // The same command, delivered again.
  const next = await live(stage, { over: spare });
  const hadEnded = eventsOf(died).some(({ type }) => type === "session.ended");
  const end = hadEnded ? "refused/ended" : "pull-request/opened";
  expect({ ...death, end: endOf(next) }).toEqual({ ...death, end });
  if (hadEnded) return;
  expectFinished(stage, next);
  const green = checksIn(eventsOf(next)).filter((line) => line.startsWith("base") && line.endsWith("exit 0"));
  expect({ ...death, green: green.toSorted() }).toEqual({ ...death, green: besideBoth });
}
