import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { HostUnavailable } from "../../src/delivery/host.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import type { Stage } from "../kit/story/stage.ts";
import { type Fault, givenLeft } from "./given-refusal.ts";
import { unbelieved } from "./given-unbelieved.ts";
import { unfit } from "./given-unfit.ts";

const faults = [...unbelieved, ...unfit];

/** What a refusal has to leave as it was, besides the one reply to who asked. */
function seen({ shelves, leases, github }: Stage) {
  return structuredClone({
    shipments: shelves.stored.map(({ name, bytes }) => [name, bytes.length]),
    leases: leases.leases,
    branches: [...github.branches],
    pulls: github.pulls,
    status: github.comments.filter(({ body }) => body.includes(":comment:")),
  });
}

/** What was left over of a session that ended. */
function tidied(stage: Stage) {
  const { status } = seen(stage);
  expect(status.map(({ body }) => body.includes("Baton stopped"))).toEqual([true]);
  return { leases: [], status };
}

/** Resumes with these faults at once; a healthy session goes on by what a person says of its call. */
async function resumeWith(stage: Stage, ...wrong: readonly Fault[]): Promise<Played> {
  const order = ["log", "claims", "bytes"];
  const spoilt = [...wrong].sort((a, b) => order.indexOf(a.spoils ?? "") - order.indexOf(b.spoils ?? ""));
  for (const { spoil } of spoilt) spoil?.(stage);
  const lives = wrong.map(({ life }) => life?.(stage) ?? {});
  const orders = Object.assign(
    { resolve: "not-done" },
    ...lives.map((one) => one.orders),
  ) as LifeOptions["orders"];
  const overs = lives.flatMap((one) => one.over ?? []);
  const over = (means: Means): Partial<Means> => {
    const changed: Partial<Means> = {};
    for (const one of overs) Object.assign(changed, one({ ...means, ...changed }));
    return changed;
  };
  return live(stage, {
    ...(Object.assign({}, ...lives) as LifeOptions),
    asks: "resume",
    orders: orders ?? {},
    over,
  });
}

function expectUntouched(process: Played, code: string): void {
  expect(endOf(process)).toBe(`refused/${code}`);
  expect(process.end).toMatchObject({ exit: code === "not-allowed" ? 0 : 1 });
  expect([process.ran, process.requests, process.isOpen()]).toEqual([[], [], false]);
  // One reply to the command. The comment of a session that ended is finished, which its own run may have died before.
  expect(process.made).toEqual(code === "ended" ? ["edit", "comment"] : ["comment"]);
}

describe("a session that is resumed with one thing wrong", () => {
  it.each(faults.map(([, fault]) => fault))(
    "is refused as $code ($says), and everything stays as it was",
    async (fault) => {
      const stage = await givenLeft();
      fault.spoil?.(stage);
      const before = seen(stage);
      const { spoil, ...rest } = fault;
      expect(spoil ?? rest.life).toBeDefined();
      const refused = await resumeWith(stage, rest);
      expectUntouched(refused, fault.code);
      expect(refused.end).toMatchObject({
        detail: expect.stringMatching(new RegExp(escaped(fault.says), "i")),
      });
      expect(seen(stage)).toEqual(fault.code === "ended" ? { ...before, ...tidied(stage) } : before);
      // Up to the append of check 12 nothing is on this machine either.
      if (fault.code !== "failed") expect(refused.files.state.log).toHaveLength(0);
    },
  );

  it("goes on with nothing wrong", async () => {
    const stage = await givenLeft();
    expect(endOf(await resumeWith(stage))).toBe("pull-request/opened");
    expect(stage.leases.leases).toEqual([]);
  });
});

describe("a session that is resumed with two things wrong at once", () => {
  // Within one check they exclude each other, or its own tests tell which one counts.
  const pairs = faults.flatMap(([check, first], i) =>
    faults
      .slice(i + 1)
      .flatMap(([later, second]) =>
        isNext(check, later) && !exclude(first, second) ? [{ first, second, check }] : [],
      ),
  );

  it.each(pairs)("is told of $first.code of check $check before $second.code", async ({ first, second }) => {
    const stage = await givenLeft();
    const refused = await resumeWith(stage, second, first);
    expect(endOf(refused)).toBe(`refused/${first.code}`);
  });

  it.each([
    ["exhausted", "crash-loop"],
    ["ended", "exhausted"],
    ["stale", "damaged"],
    ["other-protocol", "other-model"],
  ])("is told of %s before %s", async (earlier, later) => {
    const stage = await givenLeft();
    const [first, second] = [faultOf(earlier), faultOf(later)];
    expect(endOf(await resumeWith(stage, second, first))).toBe(`refused/${earlier}`);
  });
});

describe("a resume that GitHub leaves without an answer once it has claimed", () => {
  it.each(["shelf", "pin"] as const)("gives the claim back (%s)", async (what) => {
    const stage = await givenLeft();
    const silent = () => Promise.reject(new HostUnavailable("no answer"));
    const before = seen(stage);
    const process = live(stage, {
      asks: "resume",
      orders: { resolve: "done" },
      over: ({ shelf, ground }) => {
        if (what === "shelf") return { shelf: { ...shelf, list: afterFirst(shelf.list, silent) } };
        return {
          ground: async (session) => {
            const taken = await ground(session);
            return taken.kind === "refused" ? taken : { ...taken, ground: { ...taken.ground, pin: silent } };
          },
        };
      },
    });
    await expect(process).rejects.toThrow("no answer");
    expect(seen(stage)).toEqual(before);
  });
});

function afterFirst<Args extends unknown[], Result>(
  first: (...args: Args) => Result,
  later: (...args: Args) => Result,
): (...args: Args) => Result {
  let calls = 0;
  return (...args) => {
    calls += 1;
    return calls === 1 ? first(...args) : later(...args);
  };
}

/** Neighbours in the table, and a few rows further. */
function isNext(check: number, later: number): boolean {
  return later > check && later <= check + 1;
}

/**
 * That a shipment is missing is told by the one after it, which has to be opened to be believed; and a record that is
 * not there is none to compare.
 */
function exclude(first: Fault, second: Fault): boolean {
  return (
    `${first.code} ${second.code}` === "gap other-key" || `${first.code} ${second.code}` === "forked behind"
  );
}

function faultOf(code: string): Fault {
  const found = faults.find(([, fault]) => fault.code === code);
  if (found === undefined) throw new Error(`no fault leads to ${code}`);
  return found[1];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
