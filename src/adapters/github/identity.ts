import type { Place } from "./place.ts";
import { cannotTell } from "./refusal.ts";

/** Whose comments are ours: a login as the API spells it in `user.login`, bots with their `[bot]`. */
export type OwnIdentity = { readonly login: string };

const jobLogin = "github-actions[bot]";

/**
 * The account behind the token. An installation token (the job's own, or an App's) may not ask the REST API and is told
 * by GraphQL. Where that has no answer it is taken for the job's own: an App then finds none of its earlier comments.
 */
export async function ownIdentity({ client, signal }: Place): Promise<OwnIdentity> {
  const answer = await client.ask((request) => client.rest.users.getAuthenticated({ request }), { signal });
  if (answer.kind === "ok") return { login: answer.data.login };
  if (answer.status !== 403) throw cannotTell("find out whose token this is", answer);
  const viewer = await client.graphql("query { viewer { login } }", {}, { signal });
  return { login: (viewer.kind === "ok" ? loginIn(viewer.data) : null) ?? jobLogin };
}

function loginIn(data: unknown): string | null {
  const { viewer } = (data ?? {}) as { readonly viewer?: { readonly login?: unknown } | null };
  const login = viewer?.login;
  if (typeof login !== "string" || login === "") return null;
  return login;
}
