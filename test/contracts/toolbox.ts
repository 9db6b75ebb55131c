import { expect, it } from "vitest";
import type { Toolbox, ToolCall } from "../../src/loop/toolbox.ts";

type Use = Pick<ToolCall, "tool" | "arguments">;

export type ToolboxWorld = AsyncDisposable & {
  readonly toolbox: Toolbox;
  /** A call of class `read` whose output holds "the text to read". */
  readonly read: Use;
  /** A call of another class that changes something, after which `hasChanged` is true. */
  readonly change: Use;
  readonly hasChanged: () => boolean;
  /** A call that may change something, says "begun" as live output and never ends by itself. */
  readonly endless: Use;
  /** A call of a known tool that comes out as an error the model can act on. */
  readonly failing: Use;
};

/** What every adapter of the port `Toolbox` has to do. */
export function toolboxContract(make: () => Promise<ToolboxWorld>): void {
  const rule = (title: string, test: (world: ToolboxWorld) => Promise<void>) =>
    it(title, async () => {
      await using world = await make();
      await test(world);
    });
  let calls = 0;
  const callOf = (use: Use): ToolCall => ({ ...use, id: `call_${++calls}`, attachment: null });
  const quiet = () => undefined;
  const { signal } = new AbortController();

  rule("names each tool once, with a class and a schema of an object", async ({ toolbox }) => {
    const names = toolbox.specs.map((spec) => spec.name);
    expect(new Set(names).size).toBe(names.length);
    for (const spec of toolbox.specs) {
      expect(spec.description).not.toBe("");
      expect(spec.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  rule("accepts good arguments and refuses unknown tools and unknown keys with a reason", async (world) => {
    const { toolbox, read } = world;
    expect(toolbox.check(read.tool, read.arguments).kind).toBe("valid");
    const extra = { ...(read.arguments as object), surprise: 1 };
    for (const checked of [
      toolbox.check(read.tool, extra),
      toolbox.check(read.tool, "text"),
      toolbox.check("no such tool", {}),
    ]) {
      expect(checked).toMatchObject({ kind: "invalid", why: expect.stringMatching(/./) });
    }
  });

  rule("answers a call with its output", async ({ toolbox, read }) => {
    const run = await toolbox.run(callOf(read), { signal, onOutput: quiet });
    expect(run).toMatchObject({ status: "ok", output: expect.stringContaining("the text to read") });
  });

  rule("answers reads that run at once", async ({ toolbox, read }) => {
    const runs = await Promise.all(
      Array.from({ length: 9 }, () => toolbox.run(callOf(read), { signal, onOutput: quiet })),
    );
    expect(runs.map((run) => run.status)).toEqual(runs.map(() => "ok"));
  });

  rule("has changed what a call changes when it answers", async ({ toolbox, change, hasChanged }) => {
    expect(hasChanged()).toBe(false);
    expect((await toolbox.run(callOf(change), { signal, onOutput: quiet })).status).toBe("ok");
    expect(hasChanged()).toBe(true);
  });

  rule("answers a failure as an error and goes on", async ({ toolbox, failing, read }) => {
    expect((await toolbox.run(callOf(failing), { signal, onOutput: quiet })).status).toBe("error");
    expect((await toolbox.run(callOf(read), { signal, onOutput: quiet })).status).toBe("ok");
  });

  rule("answers an aborted call as killed and goes on", async ({ toolbox, endless, read }) => {
    const controller = new AbortController();
    const run = toolbox.run(callOf(endless), {
      signal: controller.signal,
      onOutput: (text) => text.includes("begun") && controller.abort(),
    });
    expect((await run).status).toBe("killed");
    expect((await toolbox.run(callOf(read), { signal, onOutput: quiet })).status).toBe("ok");
  });

  rule("does not begin a call that is aborted already", async ({ toolbox, change, hasChanged }) => {
    const run = await toolbox.run(callOf(change), { signal: AbortSignal.abort(), onOutput: quiet });
    expect(run.status).toBe("killed");
    expect(hasChanged()).toBe(false);
  });
}
