// Branches, commits and file contents, read from the bare repository.
import { type Answer, answer, type Call, type Handlers, listAnswer, notFound, refuse } from "./answer.ts";
import { commitShape } from "./git-data.ts";
import { ask, branchSha, commitNamed, readCommits } from "./repository-reads.ts";
import { apiUrl, htmlUrl } from "./shapes.ts";
import type { World } from "./world.ts";

const inlineBytesMax = 1024 * 1024;

export function contentHandlers(world: World): Handlers {
  return {
    "repos/get-branch": ({ params }) => getBranch(world, params["branch"] ?? ""),
    "repos/list-commits": ({ url }) => listCommits(world, url),
    "repos/get-commit": async ({ params }) => {
      const sha = await commitNamed(world, params["ref"] ?? "");
      if (sha === undefined) return refuse(422, `No commit found for SHA: ${params["ref"]}`);
      const [commit] = await readCommits(world, "-1", sha);
      return commit ? answer(200, commitShape(world, commit)) : notFound();
    },
    "repos/get-content": (call) => getContent(world, call),
  };
}

async function getBranch(world: World, name: string): Promise<Answer> {
  const sha = await branchSha(world, name);
  const [commit] = sha === undefined ? [] : await readCommits(world, "-1", sha);
  if (!commit) return refuse(404, "Branch not found");
  return answer(200, {
    name,
    commit: commitShape(world, commit),
    _links: { self: apiUrl(world, `/branches/${name}`), html: htmlUrl(world, `/tree/${name}`) },
    protected: false,
    protection: {
      enabled: false,
      required_status_checks: { enforcement_level: "off", contexts: [], checks: [] },
    },
    protection_url: apiUrl(world, `/branches/${name}/protection`),
  });
}

async function listCommits(world: World, url: URL): Promise<Answer> {
  const query = url.searchParams;
  const start = await commitNamed(world, query.get("sha") ?? "main");
  if (start === undefined) return notFound();
  const since = query.get("since");
  const path = query.get("path");
  const commits = await readCommits(
    world,
    start,
    ...(since === null ? [] : [`--since=${since}`]),
    ...(path === null ? [] : ["--", path]),
  );
  return listAnswer(
    url,
    commits.map((commit) => commitShape(world, commit)),
  );
}

async function getContent(world: World, call: Call): Promise<Answer> {
  const ref = call.url.searchParams.get("ref") ?? "main";
  const path = (call.params["path"] ?? "").replace(/^\/+|\/+$/g, "");
  const commit = await commitNamed(world, ref);
  if (commit === undefined) return refuse(404, `No commit found for the ref ${ref}`);
  const sha = await ask(world, "rev-parse", "--verify", "--quiet", `${commit}:${path}`);
  if (sha === undefined) return notFound();
  if ((await ask(world, "cat-file", "-t", sha)) === "tree")
    return listFolder(world, { commit, path, sha, ref });
  const content = await world.bare.run(["cat-file", "blob", sha]);
  if (/application\/vnd\.github(\.v3)?\.raw/.test(call.accept)) {
    return answer(200, content, { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
  }
  // Larger files come without their content; the client has to ask for the blob.
  const inline = content.length <= inlineBytesMax;
  return answer(200, {
    ...entryShape(world, { path, sha, ref, type: "file", size: content.length }),
    content: inline ? content.toString("base64").replace(/.{1,60}/g, "$&\n") : "",
    encoding: inline ? "base64" : "none",
  });
}

type Place = { readonly path: string; readonly sha: string; readonly ref: string };

async function listFolder(
  world: World,
  { path, sha, ref }: Place & { readonly commit: string },
): Promise<Answer> {
  const output = await world.bare.run(["ls-tree", "-z", "-l", sha]);
  const entries = output
    .toString()
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [, mode = "", kind = "", id = "", size = "", name = ""] =
        /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t([\s\S]*)$/.exec(line) ?? [];
      const type =
        kind === "tree" ? "dir" : kind === "commit" ? "submodule" : mode === "120000" ? "symlink" : "file";
      return entryShape(world, {
        path: path === "" ? name : `${path}/${name}`,
        sha: id,
        ref,
        type,
        size: size === "-" ? 0 : Number(size),
      });
    });
  return answer(200, entries);
}

function entryShape(world: World, entry: Place & { readonly type: string; readonly size: number }) {
  const { path, sha, ref, type, size } = entry;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const self = apiUrl(world, `/contents/${encoded}?ref=${encodeURIComponent(ref)}`);
  const html = htmlUrl(world, `/${type === "dir" ? "tree" : "blob"}/${ref}/${encoded}`);
  const git = apiUrl(world, `/git/${type === "dir" ? "trees" : "blobs"}/${sha}`);
  return {
    name: path.split("/").at(-1) ?? path,
    path,
    sha,
    size,
    type,
    url: self,
    html_url: html,
    git_url: git,
    download_url: type === "file" ? htmlUrl(world, `/raw/${ref}/${encoded}`) : null,
    _links: { self, git, html },
  };
}
