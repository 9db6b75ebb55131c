import type { Shelf, ShelfItem } from "../../session/shelf.ts";
import { shipmentBytesMax } from "../../session/shipment.ts";
import { downloadArtifact } from "./download.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";
import { type ArtifactOrigin, foreignBecause, type Home, type RunOrigin } from "./provenance.ts";
import { cannotTell, isAbsent } from "./refusal.ts";
import { uploadArtifact } from "./upload.ts";

const needs = "actions: read";

export type GitHubShelfOptions = Place & {
  readonly home: Home;
  readonly retentionDays: number;
  readonly tempDir: string;
  readonly putMs?: number;
  readonly getMs?: number;
  readonly bytesMax?: number;
};

/** Artifacts of workflow runs. `put` stores in the current run; `list` and `get` read any run by the REST API. */
export function githubShelf(options: GitHubShelfOptions): Shelf {
  return {
    put: (name, bytes, { signal }) =>
      uploadArtifact(name, bytes, {
        retentionDays: options.retentionDays,
        tempDir: options.tempDir,
        putMs: options.putMs ?? 90_000,
        signal: AbortSignal.any([signal, options.signal]),
      }),
    list: async (session, { runs, signal }) => {
      const items: ShelfItem[] = [];
      for (const run of new Set(runs)) items.push(...(await itemsOf(options, session, run, signal)));
      return items;
    },
    get: async (item, { signal }) => {
      if (!/^\d{1,15}$/.test(item.id)) return { kind: "missing", why: `${item.id} is no artifact id` };
      return downloadArtifact(options, Number(item.id), {
        bytesMax: options.bytesMax ?? shipmentBytesMax,
        getMs: options.getMs ?? 120_000,
        signal: AbortSignal.any([signal, options.signal]),
      });
    },
  };
}

type Artifact = {
  readonly id: number;
  readonly name: string;
  readonly size_in_bytes: number;
  readonly expired: boolean;
  readonly workflow_run?: ArtifactOrigin | null;
};

async function itemsOf(
  options: GitHubShelfOptions,
  session: string,
  run: string,
  signal: AbortSignal,
): Promise<readonly ShelfItem[]> {
  if (!/^\d{1,15}$/.test(run)) return [];
  const artifacts = await artifactsOf(options, run, signal);
  const ours = artifacts.filter(({ name }) => name.startsWith(`agent-session-${session}-`));
  if (ours.length === 0) return [];
  const origin = await originOf(options, run, signal);
  return ours.map((artifact) => ({
    id: String(artifact.id),
    name: artifact.name,
    bytes: artifact.size_in_bytes,
    expired: artifact.expired,
    run,
    foreign: foreignBecause(options.home, origin, artifact.workflow_run ?? null),
  }));
}

/** Those of one run, all pages. Throws `HostUnavailable`. */
export async function artifactsOf(
  place: Place,
  run: string,
  signal: AbortSignal,
): Promise<readonly Artifact[]> {
  const { client, owner, repo } = place;
  const found = await allPages(
    (page) =>
      client.ask(
        (request) =>
          client.rest.actions.listWorkflowRunArtifacts({
            owner,
            repo,
            run_id: Number(run),
            per_page: 100,
            page,
            request,
          }),
        { signal },
      ),
    (data) => data.artifacts,
  );
  if (found.kind === "ok") return found.items;
  if (isAbsent(found)) return [];
  throw cannotTell(`list the artifacts of run ${run}`, found, needs);
}

/** Null when the run cannot be found, which nothing passes provenance with. */
async function originOf(place: Place, run: string, signal: AbortSignal): Promise<RunOrigin | null> {
  const { client, owner, repo } = place;
  const answer = await client.ask(
    (request) => client.rest.actions.getWorkflowRun({ owner, repo, run_id: Number(run), request }),
    { signal },
  );
  if (answer.kind === "ok") return answer.data;
  if (isAbsent(answer)) return null;
  throw cannotTell(`read run ${run}`, answer, needs);
}
