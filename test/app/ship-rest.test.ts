import { describe, expect, it } from "vitest";
import { memoryGitHub, memoryHost } from "../../src/adapters/memory/host.ts";
import { finishComment, type Saved, savedBy, shipRest } from "../../src/app/ship-rest.ts";
import { openShipper } from "../../src/session/shipper.ts";
import { type Given, givenTask, key, signal } from "../session/given-shelf.ts";

const full = { kind: "unavailable", why: "the quota is used up" } as const;

/** What post makes of a run that died, and what it says on the thread. */
async function post({
  files,
  shipping,
}: Given): Promise<{ readonly saved: Saved; readonly comment: string }> {
  const rest = await shipRest(files, { shipping: () => shipping, signal });
  if (rest.kind === "nothing") throw new Error(rest.why);
  const issue = {
    number: 7,
    kind: "issue",
    title: "sum",
    body: "",
    author: null,
    head: null,
    base: null,
  } as const;
  const github = memoryGitHub({ threads: new Map([[7, { ...issue, state: "open", locked: false }]]) });
  const saved = savedBy(rest);
  const words = { triggerPhrase: "/agent", runUrl: null, untold: null };
  await finishComment({ ...rest, saved }, { host: memoryHost(github), key, ...words });
  return { saved, comment: github.comments[0]?.body ?? "" };
}

describe("what post says of a run that died", () => {
  it("is how to go on, where it stored everything", async () => {
    const { saved, comment } = await post(await givenTask());
    expect(saved).toBe("whole");
    expect(comment).toContain("Everything up to the last finished call is kept.");
    expect(comment).toContain("To go on");
  });

  it("is that nothing is stored, and not how to go on, where there never was room (F42)", async () => {
    const all = await givenTask();
    all.shelf.answers.push(full);
    const { saved, comment } = await post(all);
    expect(saved).toBe("nothing");
    expect(comment).toContain("What it did could not be stored.");
    expect(comment).not.toContain("To go on");
  });

  it("is that a resume goes on from what was stored before, where there was room once (F42)", async () => {
    const all = await givenTask();
    const shipper = openShipper({
      ...all,
      last: null,
      shipSeconds: 60,
      signal,
      onUnshipped: () => undefined,
    });
    await shipper.ship();
    all.shelf.answers.push(full);
    const { saved, comment } = await post(all);
    expect(saved).toBe("part");
    expect(comment).toContain("a resume goes on from what was stored before");
    expect(comment).not.toContain("is kept");
    expect(comment).toContain("To go on");
  });

  it("is that the gate let nothing through, where it had come to that, and what goes on with it", async () => {
    const detail = "After 3 rounds these checks are still red: test. Nothing was published.";
    const halted = await givenTask();
    await halted.journal.append({ type: "run.suspended", reason: "gate-failed", detail });
    const { comment } = await post(halted);
    expect(comment).toContain("Baton stopped: **gate-failed**.");
    expect(comment).toContain(detail);
    expect(comment).toContain("and what to do differently here");
  });

  it("is what it waits for, where it had come to that, with the replies or a link to them", async () => {
    const detail = "Tabs or spaces?";
    const asked = await givenTask();
    await asked.journal.append({ type: "run.suspended", reason: "question", detail });
    const { comment } = await post(asked);
    expect(comment).toContain("Baton stopped: **needs-input**.");
    expect(comment).toContain("> Tabs or spaces?");
    expect(comment).toContain("/agent &#60;your answer&#62;");

    const linked = await givenTask();
    const { session } = linked.journal.state.identity ?? {};
    const key = `${session}/approval/toolu_1`;
    await linked.journal.append({ type: "effect.intended", key, detail: "{}" });
    const url = "https://github.example/comment-5";
    await linked.journal.append({ type: "effect.settled", key, status: "done", detail: "5", url });
    await linked.journal.append({ type: "run.suspended", reason: "approval", detail: "It waits." });
    const said = (await post(linked)).comment;
    expect(said).toContain(`[This comment](${url}) says what it waits for`);
    expect(said).not.toContain("To go on");
  });
});
