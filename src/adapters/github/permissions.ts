import type { Looked, Permissions, Role } from "../../command/permissions.ts";
import type { Place } from "./place.ts";

const roles: readonly Role[] = ["none", "read", "triage", "write", "maintain", "admin"];

const coarse: Readonly<Record<string, string>> = { triage: "read", maintain: "write" };

/**
 * The collaborator endpoint. It answers with a base permission and with the role it comes from; the weaker of the two
 * counts, and a name that is not GitHub's own (a custom role) is not taken on trust.
 */
export function githubPermissions({ client, owner, repo }: Place): Permissions {
  return {
    of: async (login, { signal }) => {
      const answer = await client.ask(
        (request) =>
          client.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: login, request }),
        { signal },
      );
      if (answer.kind === "no") {
        if (answer.status === 404) return { kind: "role", role: "none" };
        return { kind: "unknown", why: `GitHub did not say what @${login} may do: ${answer.why}` };
      }
      const { permission, role_name: roleName, user } = answer.data;
      if (user && user.login.toLowerCase() !== login.toLowerCase())
        return { kind: "unknown", why: `GitHub answered for another account than @${login}` };
      return weaker(permission, roleName);
    },
  };
}

function weaker(permission: string, roleName: string): Looked {
  // `permission` knows four words only: a role between two of them is told by the lower one.
  if (coarse[roleName] === permission) return { kind: "role", role: roleName as Role };
  const ranks = [permission, roleName].map((name) => roles.indexOf(name as Role));
  const role = roles[Math.min(...ranks)];
  if (role === undefined)
    return { kind: "unknown", why: `the role "${roleName}" (${permission}) is not one of GitHub's own` };
  return { kind: "role", role };
}
