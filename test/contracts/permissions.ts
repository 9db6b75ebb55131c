import { expect, it } from "vitest";
import type { Permissions, Role } from "../../src/command/permissions.ts";

export type PermissionsWorld = AsyncDisposable & { readonly permissions: Permissions };

/** The accounts of a world: each login has the role of its name; `stranger` is in no list. */
export const logins: readonly Role[] = ["none", "read", "triage", "write", "maintain", "admin"];

/** What every adapter of the port `Permissions` has to do. */
export function permissionsContract(make: () => Promise<PermissionsWorld>): void {
  const { signal } = new AbortController();

  it("knows each of GitHub's roles, without regard to the login's case", async () => {
    await using world = await make();
    for (const role of logins) {
      expect(await world.permissions.of(role, { signal })).toEqual({ kind: "role", role });
      expect(await world.permissions.of(role.toUpperCase(), { signal })).toEqual({ kind: "role", role });
    }
  });

  it("gives no role to an account that is in no list", async () => {
    await using world = await make();
    expect(await world.permissions.of("stranger", { signal })).toEqual({ kind: "role", role: "none" });
  });
}
