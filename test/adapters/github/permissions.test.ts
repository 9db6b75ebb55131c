import { expect, it } from "vitest";
import { githubPermissions } from "../../../src/adapters/github/permissions.ts";
import { githubWorld } from "./world.ts";

const { signal } = new AbortController();
const user = null;

it.each([
  [200, { permission: "write", role_name: "maintain", user }, { kind: "role", role: "maintain" }],
  [200, { permission: "admin", role_name: "read", user }, { kind: "role", role: "read" }],
  [200, { permission: "read", role_name: "admin", user }, { kind: "role", role: "read" }],
  [200, { permission: "write", role_name: "deployer", user }, { kind: "unknown" }],
  [200, { permission: "push", role_name: "push", user }, { kind: "unknown" }],
  [200, { permission: "write", role_name: "write", user: { login: "other" } }, { kind: "unknown" }],
  [404, { message: "x is not a user" }, { kind: "role", role: "none" }],
  [403, { message: "Must have push access" }, { kind: "unknown" }],
  [500, { message: "oops" }, { kind: "unknown" }],
])(
  "of GitHub's two words the weaker counts, and no answer is no role: %s %j",
  async (status, body, looked) => {
    await using world = await githubWorld();
    world.github.fail({ path: /collaborators/, status, body, times: 4 });
    expect(await githubPermissions(world.place).of("write", { signal })).toMatchObject(looked);
  },
);
