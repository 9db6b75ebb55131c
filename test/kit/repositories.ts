// Temporary repositories of every odd kind, made by git itself, and a server that hands them out.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { newFolder } from "./folder.ts";
import { gitEnvironment, serveGit } from "./git-server.ts";

export type TemporaryFolder = Disposable & { readonly path: string };

/** A fresh folder that is gone when its scope ends. */
export function temporaryFolder(): TemporaryFolder {
  const path = newFolder("git");
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
  const head = [`commit ${ref}`, "committer Octo Seed <seed@example.com> 1767225600 +0000", ""].join("\n");
  const from = parent === null ? "" : `from ${parent}\n`;
  const changes = Object.entries(items).map(([name, item]) => changeOf(name, item));
  const input = Buffer.concat([Buffer.from(head), data(message), Buffer.from(from), ...changes]);
  git(repository, ["fast-import", "--quiet", "--force"], { input });
  return git(repository, ["rev-parse", ref]);
}

function tipOf(repository: string, ref: string): string | null {
  const tip = git(repository, ["for-each-ref", "--format=%(objectname)", ref]);
  return tip === "" ? null : tip;
}

/** One change in the language of git-fast-import. */
function changeOf(name: string, item: Item): Buffer {
  const path = quoted(name.startsWith("bytes:") ? Buffer.from(name.slice(6), "latin1") : Buffer.from(name));
  if (item === null) return Buffer.from(`D ${path}\n`);
  if (typeof item === "string" || Buffer.isBuffer(item))
    return Buffer.concat([Buffer.from(`M 100644 inline ${path}\n`), data(item)]);
  if (item.mode === "160000") return Buffer.from(`M 160000 ${item.id} ${path}\n`);
  return Buffer.concat([Buffer.from(`M ${item.mode} inline ${path}\n`), data(item.content)]);
}

function data(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

function quoted(path: Buffer): string {
  return `"${[...path].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
}

/** The tree git itself makes of a folder, without ignore rules, attributes or anyone's configuration. */
export function treeByGit(folder: string): string {
  const scratch = newFolder("index");
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
    mkdirSync(join(gitDir, "info"), { recursive: true });
    writeFileSync(join(gitDir, "info/attributes"), attributes);
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
