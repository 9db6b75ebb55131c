// The REST side of artifacts: list, look at, download, delete.
import {
  type Answer,
  answer,
  type Call,
  type Handlers,
  notFound,
  paginate,
  refuse,
} from "../github/answer.ts";
import type { RestArtifact } from "../github/rest-types.ts";
import { findRun } from "../github/runs.ts";
import { apiUrl, nodeId } from "../github/shapes.ts";
import type { World } from "../github/world.ts";
import type { ArtifactShelf, StoredArtifact } from "./artifact-shelf.ts";

export function artifactHandlers(world: World, shelf: ArtifactShelf): Handlers {
  const withArtifact =
    (act: (artifact: StoredArtifact, call: Call) => Answer | Promise<Answer>) => (call: Call) => {
      const artifact = shelf.find(Number(call.params["artifact_id"]));
      return artifact ? act(artifact, call) : notFound();
    };
  return {
    "actions/list-artifacts-for-repo": ({ url }) => listArtifacts(world, shelf.list(), url),
    "actions/list-workflow-run-artifacts": ({ url, params }) => {
      const run = Number(params["run_id"]);
      if (!findRun(world, run)) return notFound();
      return listArtifacts(
        world,
        shelf.list().filter((artifact) => artifact.run === run),
        url,
      );
    },
    "actions/get-artifact": withArtifact((artifact) => answer(200, artifactShape(world, artifact))),
    "actions/download-artifact": withArtifact(async (artifact) => {
      if (artifact.expired) return refuse(410, "Artifact has expired");
      const location = `${world.origin}${await shelf.signedPath(artifact.id, "read")}`;
      return answer(302, undefined, { location });
    }),
    "actions/delete-artifact": withArtifact((artifact) => {
      shelf.delete(artifact.id);
      return answer(204);
    }),
  };
}

function listArtifacts(world: World, artifacts: readonly StoredArtifact[], url: URL): Answer {
  const name = url.searchParams.get("name");
  const listed = artifacts
    .filter((artifact) => name === null || artifact.name === name)
    .toSorted((a, b) => b.id - a.id)
    .map((artifact) => artifactShape(world, artifact));
  const page = paginate(url, listed);
  return answer(200, { total_count: listed.length, artifacts: page.items }, page.headers);
}

function artifactShape(world: World, artifact: StoredArtifact): RestArtifact {
  const run = findRun(world, artifact.run);
  const url = apiUrl(world, `/actions/artifacts/${artifact.id}`);
  return {
    id: artifact.id,
    node_id: nodeId("A", artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expired,
    digest: artifact.digest,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: artifact.expiresAt,
    workflow_run: {
      id: artifact.run,
      repository_id: world.repository.id,
      head_repository_id: run?.fork?.id ?? world.repository.id,
      ...(run && { head_branch: run.headBranch, head_sha: run.headSha }),
    },
  };
}
