import { describe, expect, it } from "vitest";
import { texts } from "../../src/loop/decide.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import {
  given,
  lastResults,
  modelOf,
  opening,
  outline,
  read,
  reply,
  shell,
  text,
  toolsOn,
  use,
} from "./given-loop.ts";

const secret = drawn("sk-ant-api03-", 60);
const part = secret.slice(20, 40);
const done = reply([text("Done")]);

describe("a call with a secret of the run in its arguments", () => {
  it.each([
    ["as it is", secret],
    ["a part of it", part],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in a name", { [secret]: "x" }],
  ])("is not run, %s, and neither is what was asked with it; both say so", async (_title, held) => {
    let told = 0;
    const calls = [use("a", "read", { path: "x" }), use("b", "write", { text: held })];
    const session = await given({
      ...{ secrets: [secret], model: modelOf([reply(calls), done]) },
      parts: { masked: () => void told++ },
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.disk.text).toBe("");
    expect(lastResults(session.requests)).toMatchObject([
      { tool_use_id: "a", content: texts.otherRefused, is_error: true },
      { tool_use_id: "b", content: texts.masked, is_error: true },
    ]);
    expect(outline(session.events)).toEqual(
      expect.arrayContaining(["settled a not-run", "settled b not-run"]),
    );
    expect(session.events).toContainEqual(expect.objectContaining({ type: "reply.received", masked: ["b"] }));
    expect(Buffer.from(session.files.state.log).toString()).not.toContain(part);
    expect(told).toBe(1);
  });

  it("is not put to people either, who would be asked about another", async () => {
    const session = await given({
      ...{ secrets: [secret], model: modelOf([reply([use("a", "write", { text: part })]), done]) },
      parts: { policy: () => ({ kind: "approval", why: "it is listed" }) },
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).not.toContain("approval.requested");
  });

  it("may hold three stars where the model wrote them itself", async () => {
    const session = await given({
      ...{ secrets: [secret], model: modelOf([reply([use("a", "write", { text: "***" })]), done]) },
    });
    await session.run();
    expect(session.disk.text).toBe("***");
    expect(outline(session.events)).toContain("settled a ok");
  });

  it("is settled the same by whoever goes on after a run that died behind any record", async () => {
    const replies = [reply([use("a", "write", { text: `key = ${part}` })]), done];
    const full = await given({ secrets: [secret], model: modelOf(replies) });
    await full.run();
    const events = [...opening, ...full.events];
    const received = events.findIndex(({ type }) => type === "reply.received");
    for (let kept = received + 1; kept < events.length; kept++) {
      const resumed = await given({
        ...{ secrets: [secret], resumed: events.slice(0, kept), files: full.files },
        model: modelOf([done]),
      });
      expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
      expect(resumed.disk.text).toBe("");
      for (const request of resumed.requests)
        expect(request.messages.slice(0, 3)).toEqual(full.requests[1]?.messages);
    }
  });

  it("is no call at all where its id was one, and the reply is asked for again", async () => {
    const id = part.replaceAll(/[^\w-]/g, "_");
    const replies = [reply([use(id, "write", { text: "x" })]), done];
    const session = await given({ secrets: [id], model: modelOf(replies) });
    await session.run();
    expect(outline(session.events)).toContain("reply.failed");
    expect(session.disk.text).toBe("");
  });
});

describe("an output with a secret of the run in it", () => {
  const tools = (output: string, whole: string | null) => (disk: Parameters<typeof toolsOn>[0]) =>
    toolsOn(disk).map((tool) => ({
      ...tool,
      run: async () => ({ status: "ok" as const, output, whole, plan: null }),
    }));

  it.each([
    ["read", read("a"), `key = ${secret}`, null],
    ["shell", shell("env"), "the first lines", `the first lines\n${part}\nthe last`],
  ])(
    "says behind what %s showed that the stars are not what stands there",
    async (_tool, call, output, whole) => {
      const script = [{ calls: [call] }, { text: "Done" }];
      const session = await given({ secrets: [secret], script, tools: tools(output, whole) });
      await session.run();
      const shown = `${output.replace(secret, "***")}\n\n${texts.unmasked}`;
      expect(lastResults(session.requests)).toMatchObject([{ content: shown }]);
    },
  );

  it("is told as it is where nothing was left out of it, also half a character", async () => {
    const output = `*** and ${"\ud800"} ${"x".repeat(9000)}`;
    const script = [{ calls: [read("a")] }, { text: "Done" }];
    const session = await given({ secrets: [secret], script, tools: tools(output, output) });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([{ content: output.toWellFormed() }]);
  });
});
