import { anthropicModel } from "../../../src/adapters/anthropic/model.ts";
import type { MemoryFiles } from "../../../src/adapters/memory/files.ts";
import type { End } from "../../../src/loop/end.ts";
import type { Checked, Toolbox } from "../../../src/loop/toolbox.ts";
import type { Budget, SessionEvent } from "../../../src/session/event.ts";
import { given, opening, type Setup, toolsOn } from "../../loop/given-loop.ts";
import type { VirtualClock } from "./clock.ts";
import type { FaultServer, Session } from "./server.ts";

/** A key that an answer may repeat, and nobody else. */
export const secret = "sk-ant-api03-CANARY-0123456789";

/** Enough for every wait that a provider may ask for. */
export const plenty = { minutes: 24 * 60, costUsd: null };

export type World = {
  readonly server: FaultServer;
  readonly session: Session;
  readonly clock: VirtualClock;
};

/** What a run that died left behind. */
export type Left = { readonly log: readonly SessionEvent[]; readonly files: MemoryFiles };

export type Stage = {
  readonly run: () => Promise<End>;
  /** Ids of the calls that ran, in order. */
  readonly ran: readonly string[];
  /** Those of them that no whole reply had asked for. */
  readonly early: readonly string[];
  /** Waits before another try, ms. */
  readonly waits: readonly number[];
  /** Whether the loop waits before its next try. */
  readonly retries: () => boolean;
  readonly left: () => Left;
};

/** The real loop with the real model on a journal in memory. */
export async function openStage(
  { server, session, clock }: World,
  { budget, left }: { readonly budget: Partial<Budget> | undefined; readonly left: Left | null },
): Promise<Stage> {
  const ran: string[] = [];
  const early: string[] = [];
  const waits: number[] = [];
  let retrying = false;
  const model = anthropicModel({ apiKey: secret, baseUrl: server.url, clock });
  const tools: NonNullable<Setup["tools"]> = (disk) =>
    toolsOn(disk).map((tool) => ({
      ...tool,
      run: (input, options) => {
        const { id } = options.call;
        ran.push(id);
        // Only a reply that was sent whole asks for anything.
        if (!session.whole.some(({ content }) => content.some((block) => block["id"] === id))) early.push(id);
        return tool.run(input, options);
      },
    }));
  const made = await given({
    model: {
      reply: (request, options) => {
        retrying = false;
        return model.reply(request, options);
      },
    },
    tools,
    budget: { ...plenty, ...budget },
    parts: { clock },
    onLive: (live) => {
      if (live.kind !== "retry.wait") return;
      retrying = true;
      waits.push(live.ms);
    },
    ...(left === null ? {} : { resumed: left.log, files: left.files }),
  });
  const { parts } = made;
  Object.assign(parts, { toolbox: bounded(parts.toolbox) });
  return {
    ran,
    early,
    waits,
    retries: () => retrying,
    run: made.run,
    left: () => ({ log: [...(left?.log ?? opening), ...made.events], files: made.files }),
  };
}

/** No argument is longer than a million characters, as with the tools of the product. */
function bounded(toolbox: Toolbox): Toolbox {
  const check = (name: string, input: unknown): Checked => {
    const values = typeof input === "object" && input !== null ? Object.values(input) : [];
    const long = values.some((value) => typeof value === "string" && value.length > 1_000_000);
    return long ? { kind: "invalid", why: "an argument is too long" } : toolbox.check(name, input);
  };
  return { ...toolbox, check };
}
