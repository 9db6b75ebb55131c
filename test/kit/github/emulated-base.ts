// The `emulate` package: the base that makes users and the repository and answers what we do not answer ourselves.
import { createEmulator } from "emulate";
import { type Answer, answer } from "./answer.ts";
import type { RestRepository, RestUser } from "./rest-types.ts";

export type EmulatedBase = AsyncDisposable & {
  /** Passes a request on as the given user (nobody: anonymous), with every URL in the answer under our own origin. */
  forward(request: ForwardedRequest): Promise<Answer>;
  user(login: string): Promise<RestUser>;
  repository(): Promise<RestRepository>;
};

export type ForwardedRequest = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: Buffer;
  readonly login: string | undefined;
};

export type EmulatedBaseOptions = {
  readonly origin: string;
  readonly owner: string;
  readonly repo: string;
  readonly private: boolean;
  readonly logins: readonly string[];
};

export async function startEmulatedBase(options: EmulatedBaseOptions): Promise<EmulatedBase> {
  const { owner, repo, logins } = options;
  const tokenOf = (login: string) => `kit_${login}`;
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: Object.fromEntries(
        logins.map((login) => [tokenOf(login), { login, scopes: ["repo", "user"] }]),
      ),
      github: {
        users: logins.map((login) => ({ login, name: login, email: `${login}@example.com` })),
        repos: [{ owner, name: repo, private: options.private, auto_init: false }],
      },
    },
  });
  const address = emulator.url.replace("localhost", "127.0.0.1");

  const forward = async ({ method, path, body, login }: ForwardedRequest): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(login !== undefined && { authorization: `token ${tokenOf(login)}` }),
      },
      redirect: "manual",
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = (await response.text())
      .replaceAll(emulator.url, options.origin)
      .replaceAll(address, options.origin);
    return answer(response.status, text === "" ? undefined : JSON.parse(text));
  };

  const get = async (path: string): Promise<Answer> => {
    const found = await forward({ method: "GET", path, body: Buffer.alloc(0), login: owner });
    if (found.status !== 200) throw new Error(`the emulator answered ${found.status} for ${path}`);
    return found;
  };

  return {
    forward,
    user: async (login) => (await get(`/users/${login}`)).body as RestUser,
    repository: async () => withWhatIsMissing((await get(`/repos/${owner}/${repo}`)).body as RestRepository),
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

/** Fields that GitHub's description requires and emulate 0.12.2 leaves out. */
export function withWhatIsMissing(repository: RestRepository): RestRepository {
  return {
    ...repository,
    network_count: repository.network_count ?? 0,
    subscribers_count: repository.subscribers_count ?? 0,
    pushed_at: repository.pushed_at ?? repository.created_at,
  };
}
