// The way of one process to the artifact service, which is cut when the process dies.
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { githubPatches } from "../../../src/adapters/github/patches.ts";
import type { Place } from "../../../src/adapters/github/place.ts";
import type { Patches } from "../../../src/delivery/patches.ts";
import type { LocalGitHub } from "../github/local-github.ts";

export type ArtifactLine = {
  readonly patches: Patches;
  /** What the process asks for from now on goes nowhere. */
  readonly cut: () => void;
  /** Cuts it, and waits for what is under way: the official client takes no signal, and would go on in another life. */
  readonly end: () => Promise<void>;
};

/** Patches as the artifacts of a run, by the official client over real HTTP. */
export function artifactLine(github: LocalGitHub, place: Place, run: string): ArtifactLine {
  const sockets = new Set<Socket>();
  const puts: Promise<unknown>[] = [];
  let opened: Promise<Server> | null = null;
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const { signal } = new AbortController();
  const { serverUrl } = github;
  const inner = githubPatches({ ...place, signal, serverUrl, run, retentionDays: 1, tempDir: tmpOf(github) });
  const find = githubPatches({ ...place, serverUrl, run, retentionDays: 1, tempDir: tmpOf(github) }).find;
  const put: Patches["put"] = async (name, patch) => {
    opened ??= listen(Number(new URL(github.url).port), sockets, () => isCut);
    const { port } = (await opened).address() as AddressInfo;
    const env = github.env({ id: Number(run), attempt: 1, job: "agent" });
    // The client has no other way to be told where the service is.
    Object.assign(process.env, env, { ACTIONS_RESULTS_URL: `http://127.0.0.1:${port}/` });
    using _ = atOnceAndSilent();
    return await inner.put(name, patch);
  };
  return {
    patches: {
      find,
      put: (name, patch) => {
        const asked = put(name, patch);
        puts.push(asked.catch(() => undefined));
        return asked;
      },
    },
    cut,
    end: async () => {
      cut();
      await Promise.all(puts);
      (await opened)?.close();
    },
  };
}

const boundMs = 3_000;

function tmpOf({ bare }: LocalGitHub): string {
  return `${bare}/..`;
}

async function listen(to: number, sockets: Set<Socket>, isCut: () => boolean): Promise<Server> {
  const server = createServer((near) => {
    if (isCut()) return void near.resetAndDestroy();
    const far = connect(to, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.resetAndDestroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return server;
}

/**
 * The client waits up to 23 s between its tries and takes no clock, and it prints what it does. Half an answer it awaits
 * for ever, which ours ends.
 */
function atOnceAndSilent(): Disposable {
  const wait = globalThis.setTimeout;
  const write = process.stdout.write;
  const quick = (handler: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout =>
    wait(handler, ms < 2_000 ? ms : ms < 25_000 ? 0 : Math.min(ms, boundMs), ...args);
  globalThis.setTimeout = quick as typeof globalThis.setTimeout;
  process.stdout.write = () => true;
  return {
    [Symbol.dispose]: () => {
      globalThis.setTimeout = wait;
      process.stdout.write = write;
    },
  };
}
