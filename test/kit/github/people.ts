// Who is asking, what they may do, and what GitHub says about people and the repository.
import { type Answer, answer, type Call, type Handlers, notAccessible, notFound, refuse } from "./answer.ts";
import type { Account, JobPermissions, Permission, World } from "./world.ts";
import { mayPush } from "./world.ts";

// The collaborator endpoint's `permission` knows four old words; `role_name` knows all.
const oldWords: Readonly<Record<Permission, string>> = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
  none: "none",
};

/** The account behind an Authorization header: nobody without one, `"unknown"` for a token that is not ours. */
export function callerOf(world: World, authorization: string | undefined): Account | "unknown" | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = "", value = ""] = authorization.split(" ");
  const token = scheme.toLowerCase() === "basic" ? passwordOf(value) : value;
  return world.tokens.get(token) ?? "unknown";
}

/** Git sends the token as the password; the user name is `x-access-token` or anything else. */
function passwordOf(encoded: string): string {
  const pair = Buffer.from(encoded, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/** Why this caller may not do this at all, before the operation is looked at; nothing if they may. */
export function barrierFor(world: World, call: Call): Answer | undefined {
  const { caller, operation, params } = call;
  const { owner, repo } = params;
  if (
    owner !== undefined &&
    `${owner}/${repo}`.toLowerCase() !== `${world.owner}/${world.name}`.toLowerCase()
  ) {
    return notFound();
  }
  if (owner !== undefined && world.private && (!caller || caller.permission === "none")) return notFound();
  const writes = call.method !== "GET";
  if (writes && !caller) return refuse(401, "Requires authentication");
  if (caller?.kind === "bot") return jobMay(world, operation, writes) ? undefined : notAccessible();
  if (writes && /^(git|actions)\//.test(operation) && !mayPush(caller)) return notFound();
  return undefined;
}

function jobMay(world: World, operation: string, writes: boolean): boolean {
  if (operation === "users/get-authenticated") return false;
  const scopes = scopesOf(operation);
  const levels = scopes.map((scope) => world.settings.job[scope]);
  if (levels.length === 0) return true;
  return levels.some((level) => level === "write" || (level === "read" && !writes));
}

/** The permissions of which one is enough. */
function scopesOf(operation: string): readonly (keyof JobPermissions)[] {
  const [group] = operation.split("/");
  if (operation === "repos/get" || operation === "repos/get-collaborator-permission-level") return [];
  switch (group) {
    case "git":
    case "repos":
      return ["contents"];
    case "issues":
    case "reactions":
      // Comments of a pull request are under the issues' paths, and either permission opens them.
      return ["issues", "pull-requests"];
    case "pulls":
      return ["pull-requests"];
    case "checks":
      return ["checks"];
    case "actions":
      return ["actions"];
    default:
      return [];
  }
}

export function peopleHandlers(world: World): Handlers {
  return {
    "repos/get-collaborator-permission-level": ({ params }) => {
      const account = world.accounts.get((params["username"] ?? "").toLowerCase());
      if (!account || account.kind === "bot") return refuse(404, `${params["username"]} is not a user`);
      const { permission } = account;
      return answer(200, {
        permission: oldWords[permission],
        role_name: permission,
        user: { ...account.rest, role_name: permission },
      });
    },
    "users/get-by-username": ({ params }) => {
      const account = world.accounts.get((params["username"] ?? "").toLowerCase());
      return account ? answer(200, { ...account.rest, ...profile(world) }) : notFound();
    },
    "repos/get": ({ caller }) =>
      answer(200, { ...world.repository, ...(caller && { permissions: grants(caller) }) }),
  };
}

function profile(world: World) {
  const made = world.repository.created_at;
  const nothing = { name: null, company: null, location: null, email: null, hireable: null, bio: null };
  const counts = { public_repos: 1, public_gists: 0, followers: 0, following: 0 };
  return { ...nothing, ...counts, blog: "", created_at: made, updated_at: made };
}

function grants({ permission }: Account) {
  const order: readonly Permission[] = ["read", "triage", "write", "maintain", "admin"];
  const rank = order.indexOf(permission);
  return { pull: rank >= 0, triage: rank >= 1, push: rank >= 2, maintain: rank >= 3, admin: rank >= 4 };
}
