// Who answers for the model: the script, or with --live the real API behind a plain forwarder.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { loadScript } from "../kit/model/script-file.ts";
import { startModel } from "../kit/model/server.ts";
import { blocksOf } from "../kit/model/wire.ts";
import type { DemoJournal } from "./journal.ts";
import type { Timeline } from "./timeline.ts";

export type DemoModel = AsyncDisposable & {
  readonly kind: "scripted" | "live";
  /** For the input `anthropic-base-url`. */
  readonly url: string;
  readonly key: string;
  /** Resolves when the first machine is to be lost, with what is then under way. */
  readonly moment: (journal: DemoJournal) => Promise<string>;
  readonly requests: () => number;
  /** Null when the model's side of the story went as written, else what was wrong. */
  readonly complaint: () => string | null;
};

/** Every word that the model says in the demo. */
export const wordsFile = join(import.meta.dirname, "words.json");

const scriptedKey = "sk-ant-demo-0123456789abcdefghijklmnopqrstuvwxyz";

export async function scriptedModel(timeline: Timeline): Promise<DemoModel> {
  const script = await loadScript(wordsFile);
  const server = await startModel({
    script,
    key: scriptedKey,
    onRequest: ({ body }, index) => {
      const told = index === 0 ? [] : blocksOf(body.messages.at(-1)?.content);
      for (const { type, text } of told) if (type === "text") timeline.happened(`told: ${text}`);
      const reply = script[index];
      if (reply === undefined) return;
      for (const block of reply.content) {
        if (block.type === "text") timeline.happened(`model: ${block.text}`);
        if (block.type === "tool_use") timeline.detail(`${block.name} ${brief(block.input)}`);
      }
    },
  });
  return {
    kind: "scripted",
    url: server.url,
    key: scriptedKey,
    moment: async (journal) => {
      const { detail } = await journal.seen("half-fix-written");
      return `shell: queue.js is changed in ${detail} places, and the command still runs`;
    },
    requests: () => server.requests.length,
    complaint: () => {
      try {
        server.assertDone();
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The turn in which the first machine is lost when the model's words are its own. */
const liveTurn = 5;
const api = "https://api.anthropic.com";

export async function liveModel(key: string, timeline: Timeline): Promise<DemoModel> {
  let requests = 0;
  let answered = 0;
  const reached = Promise.withResolvers<string>();
  const server = createServer((req, res) => {
    requests += 1;
    timeline.happened(`the model is asked (${requests})`);
    if (answered === liveTurn - 1) reached.resolve("the model is being asked");
    forward(req, res).then(
      (isReply) => {
        if (isReply) answered += 1;
      },
      () => res.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    kind: "live",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    moment: () => reached.promise,
    requests: () => requests,
    complaint: () => null,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a reply was passed on. */
async function forward(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const dropped = new Set(["host", "connection", "content-length", "accept-encoding"]);
  const headers = Object.entries(req.headers).flatMap(([name, value]) =>
    typeof value === "string" && !dropped.has(name) ? [[name, value] as [string, string]] : [],
  );
  const body = new Uint8Array(await buffer(req));
  const answer = await fetch(`${api}${req.url}`, { method: req.method ?? "POST", headers, body });
  const back = [...answer.headers].filter(([name]) => !/^(content-encoding|content-length)$/.test(name));
  res.writeHead(answer.status, Object.fromEntries(back));
  if (answer.body === null) res.end();
  else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(res);
  return answer.ok;
}

/** What of a call's arguments tells a reader what it does. */
function brief(input: unknown): string {
  const { path, pattern, command, items } = input as Readonly<Record<string, unknown>>;
  if (Array.isArray(items)) return items.map(({ text, status }) => `${text} (${status})`).join("; ");
  // Its first line is the journal's.
  if (typeof command === "string") return command.split("\n")[1] ?? command;
  return [path, pattern].filter(Boolean).join(" ");
}
