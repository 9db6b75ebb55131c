import type { Permissions, Role } from "../../command/permissions.ts";

/** Everybody who is not named has no role. Logins are compared as GitHub does, without regard to case. */
export function memoryPermissions(roles: Readonly<Record<string, Role>>): Permissions {
  const byLogin = new Map(Object.entries(roles).map(([login, role]) => [login.toLowerCase(), role]));
  return {
    of: async (login) => ({ kind: "role", role: byLogin.get(login.toLowerCase()) ?? "none" }),
  };
}
