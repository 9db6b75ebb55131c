// Who may read and write the repository over git's HTTP protocol, as GitHub decides it.
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { isPush, serveGit } from "../git-server.ts";
import { type Answer, answer } from "./answer.ts";
import { callerOf } from "./people.ts";
import { mayPush, type World } from "./world.ts";

export type GitRouteRequest = {
  readonly method: string;
  readonly url: URL;
  readonly message: IncomingMessage;
  readonly body: Buffer;
};

/** `pushed` runs after every push, before it is answered. */
export async function answerGit(
  world: World,
  request: GitRouteRequest,
  pushed: () => Promise<void>,
): Promise<Answer> {
  const { method, url, message, body } = request;
  const caller = callerOf(world, message.headers.authorization);
  const known = caller === "unknown" ? undefined : caller;
  const push = isPush(url);
  if (caller === "unknown" || (!known && (push || world.private))) {
    return answer(401, Buffer.from("Authentication required\n"), {
      "www-authenticate": 'Basic realm="GitHub"',
    });
  }
  const repository = /^\/([^/]+\/[^/]+?)(\.git)?\//.exec(url.pathname)?.[1] ?? "";
  const level = known?.kind === "bot" ? world.settings.job.contents : undefined;
  const hidden = world.private && (known?.permission === "none" || level === "none");
  if (repository.toLowerCase() !== `${world.owner}/${world.name}`.toLowerCase() || hidden) {
    return answer(404, Buffer.from("Repository not found.\n"));
  }
  if (push && (level === undefined ? !mayPush(known) : level !== "write")) {
    return answer(403, Buffer.from(`Permission to ${repository}.git denied to ${known?.login}.\n`));
  }
  const root = dirname(dirname(world.bare.path));
  const served = await serveGit(root, {
    method,
    url,
    headers: message.headers,
    body,
    login: known?.login ?? "",
  });
  if (method === "POST" && push) await pushed();
  return answer(served.status, served.body, served.headers);
}
