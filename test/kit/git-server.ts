// Real git, served the way GitHub serves it: bare repositories behind `git http-backend` on loopback.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { dirname, join } from "node:path";
import { newFolder } from "./folder.ts";

const outputBytesMax = 256 * 1024 * 1024;

/** A bare repository on this machine. Every method runs git with a fixed identity and without any user's configuration. */
export type BareRepository = {
  readonly path: string;
  /** Runs git in the repository and returns what it printed, without the last line break. Throws on failure. */
  git(...args: readonly string[]): string;
  /** The same without blocking, for the server's own use; `input` goes to git's standard input. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>;
  /** Makes a commit from `parent` (any revision; default `main`) and, if `branch` is given, moves that branch to it. */
  commit(change: CommitRequest): string;
};

export type GitOptions = {
  readonly input?: Buffer | string;
  readonly env?: Readonly<Record<string, string>>;
};

export type CommitRequest = {
  /** Contents by path; `null` deletes. */
  readonly files: Readonly<Record<string, string | Buffer | null>>;
  readonly message?: string;
  readonly parent?: string;
  readonly branch?: string;
};

/** What a fresh repository holds in its first commit on `main`: literal files, or a copy of a folder. */
export type Seed =
  | { readonly files: Readonly<Record<string, string | Buffer>> }
  | { readonly seedFrom: string };

export type GitRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Who pushes, as the hooks would see it; empty for nobody. */
  readonly login: string;
};

export type GitAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
};

const identity = {
  GIT_AUTHOR_NAME: "Octo Seed",
  GIT_AUTHOR_EMAIL: "seed@example.com",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "Octo Seed",
  GIT_COMMITTER_EMAIL: "seed@example.com",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

/** The environment git gets here: nothing of the caller's but the path, so that a developer's settings change no test. */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: "/nonexistent",
    TZ: "UTC",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    ...identity,
    ...extra,
  };
}

/** Makes the bare repository `path` with one commit on `main` that holds the seed. */
export function createBareRepository(path: string, seed: Seed): BareRepository {
  mkdirSync(path, { recursive: true });
  const bare = openBareRepository(path);
  bare.git("init", "--quiet", "--bare", "--initial-branch=main");
  const settings = {
    "http.receivepack": "true",
    "http.uploadpack": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "uploadpack.allowFilter": "true",
    // GitHub shows pull request refs to everyone and lets nobody push to them.
    "receive.hideRefs": "refs/pull",
    "gc.auto": "0",
    "receive.autogc": "false",
  };
  const lines = Object.entries(settings).map(([key, value]) => {
    const [section, name] = key.split(".");
    return `[${section}]\n\t${name} = ${value}\n`;
  });
  writeFileSync(
    join(path, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${lines.join("")}`,
  );
  if ("files" in seed)
    bare.commit({ files: seed.files, message: "Initial commit", parent: "", branch: "main" });
  else seedFromFolder(bare, seed.seedFrom);
  return bare;
}

function openBareRepository(path: string): BareRepository {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: path,
      env: gitEnvironment(),
      encoding: "utf8",
      maxBuffer: outputBytesMax,
      stdio: ["ignore", "pipe", "pipe"],
    }).replace(/\n$/, "");
  return {
    path,
    git,
    run: (args, options = {}) => runGit(path, args, options),
    commit: (change) => commitFiles(path, change),
  };
}

function runGit(cwd: string, args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = execFile(
    "git",
    args,
    { cwd, env: gitEnvironment(options.env), encoding: "buffer", maxBuffer: outputBytesMax },
    (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`git ${args.join(" ")}: ${stderr.toString().trim()}`, { cause: error }));
    },
  );
  // Git may end before it has read everything; what it says about that is in the exit code.
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.input ?? "");
  return promise;
}

function commitFiles(path: string, change: CommitRequest): string {
  const { files, message = "Change", parent = "refs/heads/main", branch } = change;
  const scratch = newFolder("kit-index");
  const env = gitEnvironment({ GIT_INDEX_FILE: join(scratch, "index") });
  const git = (args: readonly string[], input: Buffer | string = "") =>
    execFileSync("git", args, { cwd: path, env, input, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    if (parent !== "") git(["read-tree", parent]);
    const entries = Object.entries(files).map(([name, content]) =>
      content === null
        ? `0 ${"0".repeat(40)}\t${name}\0`
        : `100644 ${git(["hash-object", "-w", "--stdin"], content)}\t${name}\0`,
    );
    git(["update-index", "-z", "--add", "--index-info"], entries.join(""));
    const parents = parent === "" ? [] : ["-p", git(["rev-parse", `${parent}^{commit}`])];
    const commit = git(["commit-tree", git(["write-tree"]), ...parents, "-m", message]);
    if (branch !== undefined) git(["update-ref", `refs/heads/${branch}`, commit]);
    return commit;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function seedFromFolder(bare: BareRepository, folder: string): void {
  const index = join(bare.path, "kit-seed-index");
  const env = gitEnvironment({ GIT_DIR: bare.path, GIT_WORK_TREE: folder, GIT_INDEX_FILE: index });
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).trim();
  git("add", "--all", ".");
  const commit = git("commit-tree", git("write-tree"), "-m", "Initial commit");
  git("update-ref", "refs/heads/main", commit);
  rmSync(index, { force: true });
}

/** Whether a URL path is one that git's HTTP protocol uses. */
export function isGitPath(path: string): boolean {
  return /\/(info\/refs|git-upload-pack|git-receive-pack)$/.test(path);
}

/** Whether the request is part of a push. */
export function isPush(url: URL): boolean {
  return url.pathname.endsWith("/git-receive-pack") || url.searchParams.get("service") === "git-receive-pack";
}

/** Answers one request of git's HTTP protocol from the repositories under `root`; who may do what is the caller's. */
export function serveGit(root: string, request: GitRequest): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const { headers, url } = request;
  const child = spawn("git", ["http-backend"], {
    cwd: dirname(root),
    env: gitEnvironment({
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: decodeURIComponent(url.pathname).replace(/^(\/[^/]+\/[^/]+?)(\.git)?\//, "$1.git/"),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers["content-type"] ?? "",
      CONTENT_LENGTH: String(request.body.length),
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
      REMOTE_USER: request.login,
      // The server may run under another user than the one that made the folder.
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    }),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => output.push(part));
  child.stdin.on("error", () => {});
  child.stdin.end(request.body);
  child.on("error", reject);
  child.on("close", () => resolve(readCgi(Buffer.concat(output))));
  return promise;
}

/** Splits a CGI response (RFC 3875) into status, headers and body. */
function readCgi(output: Buffer): GitAnswer {
  const end = output.indexOf("\r\n\r\n");
  if (end < 0) return { status: 500, headers: {}, body: Buffer.from("git http-backend gave no answer") };
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of output.subarray(0, end).toString().split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number(value.split(" ")[0]);
    else headers[name] = value;
  }
  return { status, headers, body: output.subarray(end + 4) };
}
