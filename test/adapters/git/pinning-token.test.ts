import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import { fingerprint } from "../../kit/repositories.ts";
import { ground, history, mainBranch, never, path } from "./given-pinning.ts";

describe("the token", () => {
  it("opens a repository that answers 401 without it, and stands in no file", async () => {
    await using at = await ground({ token: "tok-canary" });
    history(at.repository, 2);
    expect(await at.pin(mainBranch, { token: "tok-canary" })).toMatchObject({ kind: "pinned" });
    const encoded = Buffer.from("x-access-token:tok-canary").toString("base64");
    for (const [name, content] of fingerprint(join(at.folder, "private"))) {
      const bytes = Buffer.from(content.split(" ")[1] ?? "", "base64").toString("latin1");
      expect(`${name} ${bytes}`).not.toMatch(new RegExp(`tok-canary|${encoded}`));
    }
  });

  it("is not sent to another origin: a redirect is not followed", async () => {
    await using at = await ground();
    history(at.repository, 1);
    const { createServer } = await import("node:http");
    const redirect = createServer((request, response) => {
      response.writeHead(302, { location: `${at.server.url}${request.url}` }).end();
    });
    await new Promise<void>((done) => redirect.listen(0, "127.0.0.1", done));
    const address = redirect.address();
    const port = typeof address === "object" ? address?.port : 0;
    const pinned = await at.pin(mainBranch, { token: "tok-canary", url: `http://127.0.0.1:${port}/o/r.git` });
    redirect.closeAllConnections();
    await new Promise((done) => redirect.close(done));
    expect(pinned).toMatchObject({ kind: "refused", code: "unreachable" });
    expect(at.server.requests).toEqual([]);
  });

  it("stands in the environment of git alone, not in its arguments", async () => {
    await using at = await ground({ token: "tok-canary" });
    history(at.repository, 1);
    // A git in front of git notes how it was called.
    const bin = join(at.folder, "bin");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    execFileSync("mkdir", [bin]);
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\necho "$@" >> ${at.folder}/calls\nenv >> ${at.folder}/env-$1\nexec ${real} "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const pinned = await gitWorkspaces({
      remote: { url: `${at.server.url}/o/r.git`, token: "tok-canary" },
      dir: join(at.folder, "private"),
      borrowFrom: null,
      path: `relative:${bin}:${path}`,
    }).pin(mainBranch, { signal: never });
    if (pinned.kind === "pinned") await pinned.workspace[Symbol.asyncDispose]();
    const encoded = Buffer.from("x-access-token:tok-canary").toString("base64");
    expect(readFileSync(join(at.folder, "calls"), "utf8")).not.toMatch(new RegExp(`tok-canary|${encoded}`));
    expect(readFileSync(join(at.folder, "env-fetch"), "utf8")).toContain(encoded);
    expect(readFileSync(join(at.folder, "env-fetch"), "utf8")).not.toMatch(/^PATH=.*relative|^npm_|^VITEST/m);
    expect(readFileSync(join(at.folder, "env-cat-file"), "utf8")).not.toContain(encoded);
  });
});
