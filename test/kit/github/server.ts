// The one origin: REST, git, the artifact service and its blobs, every exchange recorded and checked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ArtifactShelf } from "../artifacts/artifact-shelf.ts";
import { answerBlob } from "../artifacts/blob-route.ts";
import { account as blobAccount } from "../artifacts/blob-store.ts";
import { isTwirpPath, serveTwirp } from "../artifacts/twirp.ts";
import { isGitPath } from "../git-server.ts";
import { type Answer, answer, conditional, type Handlers, refuse } from "./answer.ts";
import { answerAttachment, isAttachmentPath } from "./attachments.ts";
import type { Contract } from "./contract.ts";
import type { EmulatedBase } from "./emulated-base.ts";
import type { Exchange } from "./exchange.ts";
import type { FaultRule, Faults } from "./faults.ts";
import { answerGit } from "./git-route.ts";
import { answerGraphql, graphqlPath } from "./graphql.ts";
import { barrierFor, callerOf } from "./people.ts";
import type { World } from "./world.ts";

export type Parts = {
  readonly world: World;
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly base: EmulatedBase;
  readonly shelf: ArtifactShelf;
  readonly faults: Faults;
  readonly exchanges: Exchange[];
  /** What happens right before a request is carried out, each once. */
  readonly meanwhile: Meanwhile[];
  /** Runs after every push. */
  readonly pushed: () => Promise<void>;
};

/** Matched against method, space and path with query. */
export type Meanwhile = { readonly request: RegExp; readonly act: () => void | Promise<void> };

type Incoming = {
  readonly method: string;
  readonly url: URL;
  readonly message: IncomingMessage;
  readonly body: Buffer;
  /** The body as JSON; `undefined` when empty, the text itself when it is not JSON. */
  readonly json: unknown;
};

type Served = {
  readonly answer: Answer;
  readonly problems: readonly string[];
  readonly via: Exchange["via"];
};

const hourSeconds = 3600;
const requestsPerHour = 5000;

/** Listens on a free port of 127.0.0.1; requests wait until the parts, which need to know the port, are there. */
export async function listen(
  parts: Promise<Parts>,
): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((message, response) => {
    handle(parts, message, response).catch((error: unknown) =>
      breakDown(parts, { message, response, error }),
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

type Breakdown = {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly error: unknown;
};

/** Only reached when the rig itself is broken: the client sees a 500, and `problems()` gives the reason. */
async function breakDown(parts: Promise<Parts>, { message, response, error }: Breakdown): Promise<void> {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { exchanges } = await parts;
  exchanges.push({
    method: message.method ?? "",
    path: message.url ?? "",
    status: 500,
    via: "rest",
    authorized: false,
    problems: [`the local GitHub broke: ${reason}`],
  });
  if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
  response.end(reason);
}

async function handle(
  pending: Promise<Parts>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts = await pending;
  const body = await readBody(message);
  // A client that was killed while it sent its request has asked for nothing.
  if (body === undefined) return;
  const method = message.method ?? "GET";
  const url = new URL(message.url ?? "/", parts.world.origin);
  // Packs and blobs are no JSON, and no test wants to look at them.
  const json = ["rest", "graphql", "twirp"].includes(viaOf(url)) ? parse(body) : undefined;
  const incoming: Incoming = { method, url, message, body, json };
  await interpose(parts, `${method} ${url.pathname}${url.search}`);
  const fault = parts.faults.strike(method, url.pathname + url.search);
  const served = isInPlace(fault) ? undefined : await serve(parts, incoming);
  fault?.struck?.();
  const final = fault ? faultAnswer(fault, served?.answer) : served?.answer;
  const login = loginOf(parts.world, message);
  parts.exchanges.push({
    method,
    path: url.pathname + url.search,
    status: final?.status ?? 0,
    via: served?.via ?? viaOf(url),
    authorized: message.headers.authorization !== undefined,
    ...(login !== undefined && { login }),
    ...(incoming.json !== undefined && { requestBody: incoming.json }),
    ...(fault && { fault: true }),
    problems: served?.problems ?? requestProblems(parts, incoming),
  });
  if (fault?.network === "stall") return;
  if (final === undefined) message.socket.resetAndDestroy();
  else send(response, final, rateLimit(parts, url), fault?.network === "cut");
}

/** Whether the request is not carried out. */
function isInPlace(fault: FaultRule | undefined): boolean {
  return fault !== undefined && !fault.after && !fault.change && fault.network !== "cut";
}

async function interpose({ meanwhile }: Parts, request: string): Promise<void> {
  const at = meanwhile.findIndex((one) => one.request.test(request));
  const [due] = at < 0 ? [] : meanwhile.splice(at, 1);
  await due?.act();
}

async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function faultAnswer(
  { network, status, body, headers, change }: FaultRule,
  given: Answer | undefined,
): Answer | undefined {
  if (network === "cut") return given;
  if (change && given) {
    const type = Buffer.isBuffer(given.body) ? {} : { "content-type": "application/json; charset=utf-8" };
    return { ...given, headers: { ...type, ...given.headers }, body: change(bytesOf(given.body)) };
  }
  if (network !== undefined || status === undefined) return undefined;
  if (body !== undefined) return answer(status, body, headers);
  return { ...refuse(status, status >= 500 ? "Server Error" : "Refused"), ...(headers && { headers }) };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

function viaOf(url: URL): Exchange["via"] {
  if (isGitPath(url.pathname)) return "git";
  if (isTwirpPath(url.pathname)) return "twirp";
  if (url.pathname.startsWith(`/${blobAccount}/`)) return "blob";
  if (isAttachmentPath(url.pathname)) return "attachment";
  return url.pathname === graphqlPath ? "graphql" : "rest";
}

async function serve(parts: Parts, incoming: Incoming): Promise<Served> {
  const via = viaOf(incoming.url);
  switch (via) {
    case "git":
      return { via, answer: await answerGit(parts.world, incoming, parts.pushed), problems: [] };
    case "twirp": {
      const { status, body } = await serveTwirp(parts.shelf, parts.world.origin, {
        path: incoming.url.pathname,
        authorization: incoming.message.headers.authorization ?? "",
        body: incoming.json ?? {},
      });
      return { via, answer: answer(status, body), problems: [] };
    }
    case "blob":
      return { via, answer: await answerBlob(await parts.shelf.blobOrigin(), incoming), problems: [] };
    case "attachment":
      return { via, answer: answerAttachment(parts.world, incoming.url), problems: [] };
    case "graphql": {
      const caller = callerOf(parts.world, incoming.message.headers.authorization);
      if (caller === "unknown") return { via, answer: refuse(401, "Bad credentials"), problems: [] };
      return { via, ...(await answerGraphql(parts.world, { ...incoming, caller }, parts.pushed)) };
    }
    case "rest": {
      const given = await rest(parts, incoming);
      const problems = [...requestProblems(parts, incoming), ...responseProblems(parts, incoming, given)];
      const { method, message } = incoming;
      const known = message.headers["if-none-match"];
      return { via, answer: method === "GET" ? conditional(given, known) : given, problems };
    }
  }
}

function requestProblems({ contract }: Parts, { method, url, json }: Incoming): readonly string[] {
  return viaOf(url) === "rest" ? contract.request({ method, url, requestBody: json }) : [];
}

function responseProblems({ contract }: Parts, { method, url }: Incoming, given: Answer): readonly string[] {
  // What is sent as raw bytes is no JSON object of the contract.
  if (Buffer.isBuffer(given.body)) return [];
  const responseBody = given.body === undefined ? undefined : JSON.parse(JSON.stringify(given.body));
  return contract.response({ method, url, status: given.status, responseBody });
}

async function rest(parts: Parts, { method, url, message, body, json }: Incoming): Promise<Answer> {
  const { world, contract, handlers, base } = parts;
  const caller = callerOf(world, message.headers.authorization);
  if (caller === "unknown") return refuse(401, "Bad credentials");
  const match = contract.match(method, url.pathname);
  if (!match) return base.forward({ method, path: url.pathname + url.search, body, login: caller?.login });
  const call = {
    ...match,
    method,
    url,
    body: typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {},
    accept: message.headers.accept ?? "",
    caller,
  };
  const barrier = barrierFor(world, call);
  if (barrier) return barrier;
  // GitHub answers 400 or 422 to a body it does not understand, and handlers may rely on its shape.
  if (body.length > 0 && typeof json === "string") return refuse(400, "Problems parsing JSON");
  const handler = handlers[match.operation];
  if (handler) {
    const malformed = contract
      .request({ method, url, requestBody: json })
      .some((problem) => / must /.test(problem));
    return malformed ? refuse(422, "Invalid request.") : handler(call);
  }
  const login = caller?.kind === "bot" ? undefined : caller?.login;
  return base.forward({ method, path: url.pathname + url.search, body, login });
}

function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  extra: Record<string, string>,
  cut: boolean,
): void {
  if (body === undefined) {
    response.writeHead(status, { ...extra, ...headers });
    response.end();
    return;
  }
  const bytes = bytesOf(body);
  const type = Buffer.isBuffer(body) ? {} : { "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, { ...type, ...extra, "content-length": String(bytes.length), ...headers });
  if (!cut) response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.resetAndDestroy());
}

function rateLimit({ world, exchanges }: Parts, url: URL): Record<string, string> {
  if (viaOf(url) !== "rest") return {};
  // What has not changed costs nothing.
  const used = exchanges.filter(({ via, status }) => via === "rest" && status !== 304).length;
  const reset = Math.ceil(Date.parse(world.now()) / 1000 / hourSeconds) * hourSeconds;
  return {
    "x-ratelimit-limit": String(requestsPerHour),
    "x-ratelimit-remaining": String(world.settings.requestsLeft ?? Math.max(0, requestsPerHour - used)),
    "x-ratelimit-reset": String(reset),
    "x-ratelimit-resource": "core",
    "x-github-request-id": `KIT:${exchanges.length}`,
  };
}

function loginOf(world: World, message: IncomingMessage): string | undefined {
  const caller = callerOf(world, message.headers.authorization);
  return caller === undefined || caller === "unknown" ? undefined : caller.login;
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString("latin1");
  }
}
