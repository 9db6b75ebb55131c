import type { Place } from "./place.ts";
import { cannotTell } from "./refusal.ts";

/** Whose comments are ours: a login as the API spells it in `user.login`, bots with their `[bot]`. */
export type OwnIdentity = { readonly login: string };

const jobLogin = "github-actions[bot]";

/**
 * The account behind the token. A personal token may ask; an installation token (the job's own, or an App's) is
 * answered 403 and the REST API has no other way to ask. Without `appSlug` such a token is taken for the job's own.
 */
export async function ownIdentity(
  place: Place,
  options: { readonly appSlug?: string } = {},
): Promise<OwnIdentity> {
  if (options.appSlug !== undefined) return { login: `${options.appSlug}[bot]` };
  const { client, signal } = place;
  const answer = await client.ask((request) => client.rest.users.getAuthenticated({ request }), { signal });
  if (answer.kind === "ok") return { login: answer.data.login };
  if (answer.status === 403) return { login: jobLogin };
  throw cannotTell("find out whose token this is", answer);
}
