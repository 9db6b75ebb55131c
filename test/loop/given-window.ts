import { bodyOf } from "../../src/adapters/anthropic/body.ts";
import type { MemoryTool } from "../../src/adapters/memory/toolbox.ts";
import type { Model, ModelRequest, Reply } from "../../src/loop/model.ts";
import { summaryPrompt } from "../../src/loop/summary-prompt.ts";
import { refuseBody } from "../kit/model/rules.ts";
import { signThinking } from "../kit/model/signing.ts";
import type { WireRequest } from "../kit/model/wire.ts";

export type Asked = {
  readonly request: ModelRequest;
  readonly tokens: number;
  readonly rejected: string | null;
};

export type Working = Model & {
  readonly asked: readonly Asked[];
  readonly summaries: () => readonly ModelRequest[];
  readonly rejected: () => readonly string[];
};

type Options = {
  /** Tokens. */
  readonly window: number;
  /** How many calls it makes before it is done. */
  readonly calls: number;
  /** Bytes of text that it takes for a token. */
  readonly density?: number;
  /** Instead of what it would say. */
  readonly instead?: (request: ModelRequest, index: number) => Reply | null;
};

/**
 * A model that works through `calls` calls, by the strict rules of the API and with a window that it keeps to: what is
 * too long, reply included, is not taken. What it says next follows from what it is told, so that a resumed session
 * gets the same replies.
 */
export function workingModel({ window, calls, density = 3.5, instead }: Options): Working {
  const asked: Asked[] = [];
  return {
    asked,
    summaries: () => asked.map(({ request }) => request).filter(isSummary),
    rejected: () => asked.flatMap(({ rejected }) => rejected ?? []),
    reply: async (request) => {
      const body = bodyOf(request);
      const flaw = refuseBody(body as unknown as WireRequest);
      const tokens = Math.ceil(bytesOf([body.system, body.tools, body.messages]) / density);
      const over =
        tokens + request.maxTokens > window ? `${tokens} and ${request.maxTokens} of ${window}` : null;
      const rejected = flaw?.message ?? over;
      const other = instead?.(request, asked.length) ?? null;
      asked.push({ request, tokens, rejected });
      if (flaw !== undefined) return failure("final", flaw.message);
      if (over !== null) return failure("too-large", `prompt is too long: ${over}`);
      if (other !== null) return other;
      return said(isSummary(request) ? summary(request) : next(request, calls), tokens, density);
    },
  };
}

/** Reads of growing and of shrinking files, commands with long logs, and writes. */
export function workingTools(): readonly MemoryTool[] {
  return [
    {
      name: "read",
      class: "read",
      required: ["path"],
      run: async ({ path = "" }, { call }) => call.attachment ?? source(path),
    },
    {
      name: "write",
      class: "workspace",
      required: ["text"],
      run: async ({ text = "" }) => `wrote ${text.length} characters`,
    },
    {
      name: "shell",
      class: "workspace",
      required: ["command"],
      run: async ({ command = "" }) => {
        const whole = log(command, 600);
        return {
          status: "ok",
          output: `${whole.slice(0, 12_000)}\n[cut]\n${whole.slice(-6_000)}`,
          whole,
          plan: null,
        };
      },
    },
  ];
}

export function isSummary({ system }: ModelRequest): boolean {
  return system === summaryPrompt;
}

function next(request: ModelRequest, calls: number): readonly unknown[] {
  const n = lastCall(request) + 1;
  if (n > calls) return [{ type: "text", text: "Done\n\nAll of it." }];
  const thinking = `What does part ${n} say? ${"I wonder. ".repeat(40)}`;
  const name = n % 5 === 0 ? "shell" : n % 7 === 0 ? "write" : "read";
  const input = {
    shell: { command: `npm test ${n}` },
    write: { text: `part ${n} `.repeat(200) },
    read: { path: `src/part-${n}.ts` },
  }[name];
  return [
    { type: "thinking", thinking, signature: signThinking(thinking) },
    { type: "text", text: `Now part ${n}.` },
    { type: "tool_use", id: `call_${n}`, name, input },
  ];
}

function summary(request: ModelRequest): readonly unknown[] {
  const n = lastCall(request);
  return [
    {
      type: "text",
      text: `Looked at the parts up to call_${n}. ${"A finding in src/part.ts, line 12. ".repeat(60)}`,
    },
  ];
}

function lastCall({ messages }: ModelRequest): number {
  const numbers = [...JSON.stringify(messages).matchAll(/call_(\d+)/g)].map(([, digits]) => Number(digits));
  return Math.max(0, ...numbers);
}

function source(path: string): string {
  const n = Number(/\d+/.exec(path)?.[0] ?? 1);
  return log(path, 20 + ((n * 37) % 400));
}

function log(name: string, lines: number): string {
  return Array.from({ length: lines }, (_, i) => `${i + 1}: ${name} says something about line ${i * 7}`).join(
    "\n",
  );
}

function said(content: readonly unknown[], tokens: number, density: number): Reply {
  const calls = content.some((block) => (block as { type: string }).type === "tool_use");
  return {
    kind: "reply",
    content: content as Extract<Reply, { kind: "reply" }>["content"],
    stopReason: calls ? "tool_use" : "end_turn",
    usage: { input: tokens, output: Math.ceil(bytesOf(content) / density), cacheRead: 0, cacheWrite: 0 },
    requestId: null,
    brokenCalls: [],
  };
}

function failure(verdict: "final" | "too-large", reason: string): Reply {
  return { kind: "failed", verdict, reason, status: verdict === "final" ? 400 : 413, retryAfterMs: null };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
