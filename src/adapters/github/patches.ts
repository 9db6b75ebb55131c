import type { HostRefusal } from "../../delivery/host.ts";
import type { Patches, StoredPatch } from "../../delivery/patches.ts";
import type { Place } from "./place.ts";
import { artifactsOf } from "./shelf.ts";
import { uploadArtifact } from "./upload.ts";

export type GitHubPatchesOptions = Place & {
  /** `https://github.com` */
  readonly serverUrl: string;
  /** The id of the run that stores. */
  readonly run: string;
  readonly retentionDays: number;
  readonly tempDir: string;
  readonly putMs?: number;
};

/** A name that an upload had begun with is not given twice in a run, whether or not it came to its end. */
const triesMax = 5;

/** Artifacts of workflow runs: a zip with the one file in it, which is what `gh run download` unpacks. */
export function githubPatches(options: GitHubPatchesOptions): Patches {
  const { run, retentionDays, tempDir, putMs = 90_000, signal } = options;
  return {
    find: async (name, { runs }) => {
      const names = triesOf(name);
      for (const one of new Set(runs)) {
        if (!/^\d{1,15}$/.test(one)) continue;
        const artifacts = await artifactsOf(options, one, signal);
        const ours = artifacts.find((artifact) => names.includes(artifact.name) && !artifact.expired);
        if (ours !== undefined)
          return stored({ name, as: ours.name, run: one, id: String(ours.id) }, options);
      }
      return null;
    },
    put: async (name, patch) => {
      for (const as of triesOf(name)) {
        const upload = { retentionDays, tempDir, putMs, zipped: fileOf(name), signal };
        const put = await uploadArtifact(as, patch, upload);
        switch (put.kind) {
          case "stored":
            return { kind: "stored", patch: stored({ name, as, run, id: put.id }, options) };
          case "taken":
            continue;
          case "unavailable":
            return { kind: "refused", code: "rejected", why: put.why, unmade: true };
          case "failed":
            return { kind: "refused", code: "unavailable", why: put.why };
        }
      }
      const why = `all names that begin with ${name} are taken in the run ${run}`;
      return { kind: "refused", code: "rejected", why } satisfies HostRefusal;
    },
  };
}

function triesOf(name: string): readonly string[] {
  return Array.from({ length: triesMax }, (_, at) => (at === 0 ? name : `${name}-${at + 1}`));
}

function fileOf(name: string): string {
  return `${name}.patch`;
}

function stored(
  {
    name,
    as,
    run,
    id,
  }: { readonly name: string; readonly as: string; readonly run: string; readonly id: string },
  { serverUrl, owner, repo }: GitHubPatchesOptions,
): StoredPatch {
  const { host } = new URL(serverUrl);
  const repository = host === "github.com" ? `${owner}/${repo}` : `${host}/${owner}/${repo}`;
  return {
    name: as,
    fetch: `gh run download ${run} --repo ${repository} --name ${as}`,
    file: fileOf(name),
    url: `${serverUrl}/${owner}/${repo}/actions/runs/${run}/artifacts/${id}`,
  };
}
