// The artifact service that the official client talks to: five Twirp calls in JSON.
import type { ArtifactShelf, StoredArtifact } from "./artifact-shelf.ts";

const prefix = "/twirp/github.actions.results.api.v1.ArtifactService/";

export type TwirpAnswer = { readonly status: number; readonly body: unknown };

type Request = {
  readonly workflow_run_backend_id: string;
  readonly workflow_job_run_backend_id: string;
  readonly name?: string;
  readonly size?: string | number;
  readonly expires_at?: string;
  readonly name_filter?: string;
  readonly id_filter?: string;
};

export function isTwirpPath(path: string): boolean {
  return path.startsWith("/twirp/");
}

/** The run's name inside the artifact service, which is not its number: the client has to treat it as opaque. */
export function runBackendId(run: number): string {
  return `00000000-0000-4000-8000-${String(run).padStart(12, "0")}`;
}

export function jobBackendId(run: number, attempt: number, job: string): string {
  const digits = Buffer.from(`${run}.${attempt}.${job}`).toString("hex").padStart(32, "0").slice(-32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** An unsigned token of the form that the runner gives to actions, valid for `validSeconds`. */
export function runtimeToken(run: number, attempt: number, job: string, validSeconds = 6 * 3600): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const scope = `Actions.ExampleScope Actions.Results:${runBackendId(run)}:${jobBackendId(run, attempt, job)}`;
  const expires = Math.floor(Date.now() / 1000) + validSeconds;
  return `${part({ alg: "none", typ: "JWT" })}.${part({ scp: scope, exp: expires })}.unsigned`;
}

export async function serveTwirp(
  shelf: ArtifactShelf,
  origin: string,
  request: { readonly path: string; readonly authorization: string; readonly body: unknown },
): Promise<TwirpAnswer> {
  const body = request.body as Request;
  if (
    !scopesOf(request.authorization).some((scope) =>
      scope.startsWith(`Actions.Results:${body.workflow_run_backend_id}:`),
    )
  ) {
    return failure(401, "unauthenticated", "the token is not for this run");
  }
  const run = Number(body.workflow_run_backend_id.split("-").at(-1));
  const name = body.name ?? "";
  const found = () => shelf.list().findLast((artifact) => artifact.run === run && artifact.name === name);
  switch (request.path.slice(prefix.length)) {
    case "CreateArtifact": {
      const slot = await shelf.create({ name, run, ...(body.expires_at && { expiresAt: body.expires_at }) });
      if (!slot) {
        return failure(
          409,
          "already_exists",
          "an artifact with this name already exists on the workflow run",
        );
      }
      const signed = await shelf.signedPath(slot.id, "write");
      return success({ ok: true, signed_upload_url: `${origin}${signed}` });
    }
    case "FinalizeArtifact": {
      const sealed = await shelf.finalize({ name, run, size: Number(body.size) });
      if (!sealed) return failure(400, "invalid_argument", "no such upload, or not of that size");
      return success({ ok: true, artifact_id: String(sealed.id) });
    }
    case "ListArtifacts": {
      const listed = shelf
        .list()
        .filter((artifact) => artifact.run === run)
        .filter((artifact) => body.name_filter === undefined || artifact.name === body.name_filter)
        .filter((artifact) => body.id_filter === undefined || String(artifact.id) === String(body.id_filter));
      return success({ artifacts: listed.map((artifact) => listing(artifact, body)) });
    }
    case "GetSignedArtifactURL": {
      const artifact = found();
      if (!artifact) return failure(404, "not_found", "artifact not found");
      return success({ name, signed_url: `${origin}${await shelf.signedPath(artifact.id, "read")}` });
    }
    case "DeleteArtifact": {
      const artifact = found();
      if (!artifact) return failure(404, "not_found", "artifact not found");
      shelf.delete(artifact.id);
      return success({ ok: true, artifact_id: String(artifact.id) });
    }
    default:
      return failure(404, "bad_route", `no such call: ${request.path}`);
  }
}

function listing(artifact: StoredArtifact, request: Request) {
  return {
    workflow_run_backend_id: request.workflow_run_backend_id,
    workflow_job_run_backend_id: request.workflow_job_run_backend_id,
    database_id: String(artifact.id),
    name: artifact.name,
    size: String(artifact.size),
    created_at: artifact.createdAt,
    digest: artifact.digest,
  };
}

function scopesOf(authorization: string): readonly string[] {
  const payload = authorization.replace(/^Bearer /i, "").split(".")[1] ?? "";
  try {
    const { scp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { readonly scp?: string };
    return (scp ?? "").split(" ");
  } catch {
    return [];
  }
}

function success(body: unknown): TwirpAnswer {
  return { status: 200, body };
}

function failure(status: number, code: string, msg: string): TwirpAnswer {
  return { status, body: { code, msg } };
}
