import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, type Sender } from "./answer.ts";
import { continuesPaused } from "./paused.ts";
import { extendsPrompt, promptCache, promptHash, promptTokens } from "./prefix.ts";
import { type Refusal, refuseBody, refuseHeaders } from "./rules.ts";
import { failWith, type MessageReply, type Reply, type ReplyBlock, type Step } from "./script.ts";
import { signThinking } from "./signing.ts";
import { jsonOf, type SentMessage } from "./stream.ts";
import type { WireMessage, WireRequest } from "./wire.ts";

export interface ModelRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: WireRequest;
  /** Monotonic milliseconds (`performance.now()`) when the whole request had arrived. */
  readonly at: number;
  /**
   * True when this prompt is the one before plus something at its end, or the same again (a retry);
   * cache marks are ignored. True for the first.
   */
  readonly extendsPrevious: boolean;
  /** True when this prompt is the one before, unchanged. */
  readonly repeatsPrevious: boolean;
  /** Why it was refused by the API's rules; undefined when the script answered it. */
  readonly refused: Refusal | undefined;
}

export interface ScriptedModel extends AsyncDisposable {
  /** Base URL without `/v1`, as the client takes it. */
  readonly url: string;
  /** Every request to `/v1/messages`, refused ones included, in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** By index of the request: monotonic milliseconds of the last byte; null until then. */
  readonly replied: readonly (number | null)[];
  /** The script itself: a test may add to it while the server runs. */
  readonly script: Step[];
  /** Entries of the script that no request has taken yet. */
  remaining(): number;
  /** Throws when entries are unread, a request found none, or a request broke the API's rules. */
  assertDone(): void;
}

export interface ModelOptions {
  readonly script?: readonly Step[];
  /** The only key taken, as `x-api-key` or as a bearer token. Left out: any key. */
  readonly key?: string;
  /** The prompt cache's clock, monotonic ms; left out: this machine's. */
  readonly now?: () => number;
  /** Called for each request that passed the rules, before its reply; the reply waits for it. */
  readonly onRequest?: (request: ModelRequest, index: number) => void | Promise<void>;
}

/** Starts a Messages API on a loopback port that answers from a script and refuses what the API refuses. */
export async function startModel(options: ModelOptions = {}): Promise<ScriptedModel> {
  const model = new Model(options);
  await model.listen();
  return model;
}

// The API answers 413 above this many bytes.
const requestBytesMax = 32_000_000;

class Model implements ScriptedModel {
  readonly requests: ModelRequest[] = [];
  readonly replied: (number | null)[] = [];
  readonly script: Step[];
  readonly #options: ModelOptions;
  readonly #server = createServer((req, res) => void this.#serve(req, res));
  readonly #cache: ReturnType<typeof promptCache>;
  readonly #paused: (readonly ReplyBlock[])[] = [];
  readonly #problems: string[] = [];
  #taken = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.script = [...(options.script ?? [])];
    this.#cache = promptCache(options.now);
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    // A TCP server that listens has an address and a port.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  remaining(): number {
    return this.script.length - this.#taken;
  }

  assertDone(): void {
    const unread = this.remaining();
    const problems = [
      ...this.#problems,
      ...(unread > 0 ? [`the script has ${unread} unread of ${this.script.length} replies`] : []),
    ];
    if (problems.length > 0) throw new Error(`scripted model: ${problems.join("; ")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    // A client that was killed closes in the middle of anything; that is no fault of the server.
    req.on("error", () => {});
    res.on("error", () => {});
    try {
      await this.#route(req, res);
    } catch (error) {
      if (res.destroyed) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#problems.push(message);
      if (res.headersSent) res.destroy();
      else await this.#send(res, failWith(400, "invalid_request_error", message));
    }
  }

  async #route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const raw = await readBody(req);
    const at = performance.now();
    const path = new URL(req.url ?? "/", "http://model").pathname;
    const refused = refuseHeaders(req.headers, this.#options.key);
    if (path === "/v1/messages" && req.method === "POST")
      return this.#message(req, res, { raw, at, refused });
    if (refused) return this.#send(res, refusal(refused));
    if (path !== "/v1/messages/count_tokens" || req.method !== "POST") {
      return this.#send(res, failWith(404, "not_found_error", "Not found"));
    }
    const body = parse(raw);
    const problem = refuseBody({ ...body, max_tokens: 1 });
    const tokens = () => JSON.stringify({ input_tokens: promptTokens(body) });
    return this.#send(res, problem ? refusal(problem) : { kind: "http", status: 200, body: tokens() });
  }

  async #message(
    req: IncomingMessage,
    res: ServerResponse,
    arrived: { readonly raw: Buffer; readonly at: number; readonly refused: Refusal | undefined },
  ): Promise<void> {
    const { raw, at } = arrived;
    const body = parse(raw);
    const refused = arrived.refused ?? refuseSize(raw) ?? refuseBody(body, { continues: this.#continues });
    const request = this.#record({ headers: req.headers, body, at, refused });
    const index = this.requests.push(request) - 1;
    this.replied.push(null);
    res.once("finish", () => {
      this.replied[index] = performance.now();
    });
    if (refused) {
      if (refused.status === 400) this.#problems.push(`request ${index} was refused: ${refused.message}`);
      return this.#send(res, refusal(refused));
    }
    await this.#options.onRequest?.(request, index);
    const step = this.script[this.#taken];
    if (step === undefined) throw new Error(`the script has no reply for request ${index}`);
    this.#taken += 1;
    const reply = typeof step === "function" ? await step(body, index) : step;
    return this.#send(res, reply, { body, index });
  }

  #record(request: Omit<ModelRequest, "extendsPrevious" | "repeatsPrevious">): ModelRequest {
    const before = this.requests.at(-1)?.body;
    const extendsPrevious = before === undefined || extendsPrompt(before, request.body);
    const repeatsPrevious = before !== undefined && extendsPrevious && extendsPrompt(request.body, before);
    return { ...request, extendsPrevious, repeatsPrevious };
  }

  async #send(
    res: ServerResponse,
    reply: Reply,
    asked?: { readonly body: WireRequest; readonly index: number },
  ): Promise<void> {
    const sender: Sender = {
      requestId: `req_${this.requests.length}`,
      stream: asked?.body.stream === true,
      complete: (message) => {
        if (!asked) throw new Error("a message answers a request");
        return this.#complete(message, asked.body, asked.index);
      },
    };
    await answer(res, reply, sender);
  }

  #complete(reply: MessageReply, body: WireRequest, index: number): SentMessage {
    const seed = `${promptHash(body)} ${index}`;
    const content = reply.content.map((block, i) => completeBlock(block, `${seed} ${i}`));
    const asksForTools = content.some((block) => block.type === "tool_use");
    const stop = reply.stopReason ?? (asksForTools ? "tool_use" : "end_turn");
    if (stop === "pause_turn") this.#paused.push(content);
    return {
      id: `msg_${short(seed)}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason: stop,
      stop_sequence: null,
      stop_details: stop === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
      usage: { ...this.#cache.use(body), output_tokens: outputTokens(content), ...reply.usage },
    };
  }

  readonly #continues = (message: WireMessage): boolean => continuesPaused(message, this.#paused);
}

function completeBlock(block: ReplyBlock, seed: string): ReplyBlock {
  if (block.type === "thinking")
    return { ...block, signature: block.signature ?? signThinking(block.thinking) };
  if (block.type !== "tool_use") return block;
  const { type, id = `toolu_${short(seed)}`, name, input, json } = block;
  return { type, id, name, input, ...(json === undefined ? {} : { json }) };
}

function outputTokens(content: readonly ReplyBlock[]): number {
  const chars = content.reduce((sum, block) => sum + charsOf(block), 0);
  return Math.max(1, Math.ceil(chars / 4));
}

function charsOf(block: ReplyBlock): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "thinking") return block.thinking.length;
  return block.type === "tool_use" ? jsonOf(block).length : block.data.length;
}

function refusal({ status, type, message }: Refusal): Reply {
  return failWith(status, type, message);
}

function refuseSize(raw: Buffer): Refusal | undefined {
  if (raw.length <= requestBytesMax) return undefined;
  return { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" };
}

function parse(raw: Buffer): WireRequest {
  try {
    // The rules judge the shape; until then it is recorded as it came.
    return JSON.parse(raw.toString("utf8")) as WireRequest;
  } catch (cause) {
    throw new Error("The request body is not valid JSON", { cause });
  }
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function short(seed: string): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, 24);
}
