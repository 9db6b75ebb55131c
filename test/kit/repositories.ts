// Temporary repositories of every odd kind, made by git itself, and a server that hands them out.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitEnvironment, serveGit } from "./git-server.ts";

export type TemporaryFolder = Disposable & { readonly path: string };

/** A fresh folder that is gone when its scope ends. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "baton-git-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 2 }) };
}

/** Runs git and returns what it printed, without the last line break. `cwd` may be a repository or a work tree. */
export function git(
  cwd: string,
  args: readonly string[],
  options: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> } = {},
): string {
  return execFileSync("git", args, {
    cwd,
    env: gitEnvironment(options.env),
    input: options.input ?? "",
    encoding: "utf8",
    stdio: "pipe",
    maxBuffer: 1 << 28,
  }).replace(/\n$/, "");
}

/** One path of a commit. A plain string or buffer is a file of mode 100644; `null` takes the path away. */
export type Item =
  | string
  | Buffer
  | null
  | { readonly mode: "100755" | "120000"; readonly content: string | Buffer }
  /** The commit of a submodule. */
  | { readonly mode: "160000"; readonly id: string };

/** Names are text, or bytes as a latin1 string behind `bytes:`. */
export type Items = Readonly<Record<string, Item>>;

export function emptyRepository(path: string): string {
  mkdirSync(path, { recursive: true });
  git(path, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  git(path, ["config", "uploadpack.allowAnySHA1InWant", "true"]);
  git(path, ["config", "gc.auto", "0"]);
  return path;
}

/** Commits on `ref` and returns the id. Without `parent`, on top of what `ref` names now; `null` makes a root. */
export function commit(
  repository: string,
  items: Items,
  options: { readonly ref?: string; readonly parent?: string | null; readonly message?: string } = {},
): string {
  const { ref = "refs/heads/main", message = "Change" } = options;
  const parent = options.parent === undefined ? tipOf(repository, ref) : options.parent;
  const scratch = mkdtempSync(join(tmpdir(), "baton-index-"));
  const env = { GIT_INDEX_FILE: join(scratch, "index") };
  try {
    if (parent !== null) git(repository, ["read-tree", parent], { env });
    const lines = Object.entries(items).map(([name, item]) => indexLine(repository, name, item));
    git(repository, ["update-index", "-z", "--add", "--index-info"], { env, input: Buffer.concat(lines) });
    const tree = git(repository, ["write-tree"], { env });
    const parents = parent === null ? [] : ["-p", parent];
    const id = git(repository, ["commit-tree", tree, ...parents, "-m", message]);
    git(repository, ["update-ref", ref, id]);
    return id;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function tipOf(repository: string, ref: string): string | null {
  const tip = git(repository, ["for-each-ref", "--format=%(objectname)", ref]);
  return tip === "" ? null : tip;
}

function indexLine(repository: string, name: string, item: Item): Buffer {
  const path = name.startsWith("bytes:") ? Buffer.from(name.slice(6), "latin1") : Buffer.from(name);
  const line = (head: string) => Buffer.concat([Buffer.from(`${head}\t`), path, Buffer.from("\0")]);
  if (item === null) return line(`0 ${"0".repeat(40)}`);
  const { mode, id } =
    typeof item === "string" || Buffer.isBuffer(item)
      ? { mode: "100644", id: storeBlob(repository, item) }
      : item.mode === "160000"
        ? item
        : { mode: item.mode, id: storeBlob(repository, item.content) };
  return line(`${mode} ${id}`);
}

function storeBlob(repository: string, content: string | Buffer): string {
  return git(repository, ["hash-object", "-w", "--stdin"], { input: content });
}

/** The tree git itself makes of a folder, without ignore rules, attributes or anyone's configuration. */
export function treeByGit(folder: string): string {
  const scratch = mkdtempSync(join(tmpdir(), "baton-index-"));
  const gitDir = join(scratch, "git");
  const config = {
    "core.autocrlf": "false",
    "core.attributesFile": "/dev/null",
    "core.protectNTFS": "false",
  };
  try {
    execFileSync("git", ["init", "--quiet", "--bare", gitDir], { env: gitEnvironment() });
    const env = { GIT_DIR: gitDir, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(scratch, "index") };
    // `info/attributes` outranks every file of the work tree.
    const attributes = "* -text -filter -ident -eol -working-tree-encoding\n";
    git(folder, ["hash-object", "--stdin"], { input: attributes });
    mkdirSync(join(gitDir, "info"), { recursive: true });
    execFileSync("sh", ["-c", 'cat > "$1"', "sh", join(gitDir, "info/attributes")], { input: attributes });
    const settings = Object.entries(config).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    git(folder, [...settings, "add", "--all", "--force", "."], { env });
    return git(folder, ["write-tree"], { env });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Every file below `folder` with its bytes and modification time, to show that nothing touched it. */
export function fingerprint(folder: string): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isFile()) result.set(name, `${stat.mtimeMs} ${readFileSync(path).toString("base64")}`);
    else result.set(name, stat.isDirectory() ? "folder" : "other");
  }
  return result;
}

export type RepositoryServer = AsyncDisposable & {
  readonly url: string;
  /** Every request, with the credential it carried. */
  readonly requests: readonly { readonly path: string; readonly authorization: string | null }[];
};

/** Serves the bare repositories below `root` as `<url>/<name>.git`; with a token, only to who shows it. */
export async function serveRepositories(
  root: string,
  options: { readonly token?: string } = {},
): Promise<RepositoryServer> {
  const requests: { path: string; authorization: string | null }[] = [];
  const wanted =
    options.token && `Basic ${Buffer.from(`x-access-token:${options.token}`).toString("base64")}`;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const authorization = request.headers.authorization ?? null;
    requests.push({ path: request.url ?? "", authorization });
    if (wanted && authorization !== wanted) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' }).end();
      return;
    }
    const answer = await serveGit(root, {
      method: request.method ?? "GET",
      url: new URL(request.url ?? "/", "http://127.0.0.1"),
      headers: request.headers,
      body: Buffer.concat(chunks),
      login: "",
    });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
