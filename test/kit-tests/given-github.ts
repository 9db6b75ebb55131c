import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Octokit } from "@octokit/rest";
import { afterEach, beforeEach } from "vitest";
import { newFolder } from "../kit/folder.ts";
import { gitEnvironment } from "../kit/git-server.ts";
import { type LocalGitHub, startGitHub } from "../kit/github/local-github.ts";
import type { GitHubOptions } from "../kit/github/world-setup.ts";

const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
export const at = { owner: "octo", repo: "demo" };

/** Gives each test of a file a directory of its own; `git` runs in it, and `start` keeps the repositories there. */
export function givenRoom() {
  let dir = "";
  beforeEach(() => {
    dir = newFolder("github-rig");
  });
  afterEach(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    dir: () => dir,
    git: (...args: readonly string[]) => run("git", args, { cwd: dir, env: gitEnvironment() }),
    start: (options: Pick<GitHubOptions, "private" | "settings"> = {}) => startIn(dir, options),
  };
}

function startIn(dir: string, options: Pick<GitHubOptions, "private" | "settings">): Promise<LocalGitHub> {
  return startGitHub({
    dir: join(dir, "git"),
    ...at,
    users: [
      { login: "octo", permission: "admin", token: "ghp_octo" },
      { login: "maria", permission: "maintain", token: "ghp_maria" },
      { login: "stranger", permission: "read", token: "ghp_stranger" },
      { login: "renovate[bot]", permission: "read", token: "ghs_renovate", type: "Bot" },
    ],
    files: { "README.md": "# Demo\n", "src/sum.js": "export const sum = (a, b) => a - b;\n" },
    ...options,
  });
}

export function client(github: LocalGitHub, auth: string | undefined = github.jobToken): Octokit {
  return new Octokit({ baseUrl: github.url, log: silent, ...(auth && { auth }) });
}

export async function refusal(request: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await request;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
  throw new Error("the request was not refused");
}
