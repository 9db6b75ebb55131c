// One process of a session, from a command to its end or its death.
import { githubClient } from "../../../src/adapters/github/client.ts";
import { githubHost } from "../../../src/adapters/github/host.ts";
import { githubLeases } from "../../../src/adapters/github/leases.ts";
import { githubPermissions } from "../../../src/adapters/github/permissions.ts";
import type { Place } from "../../../src/adapters/github/place.ts";
import { handle } from "../../../src/app/handle.ts";
import type { Means } from "../../../src/app/means.ts";
import type { Outcome } from "../../../src/app/outcome.ts";
import { parseCommand } from "../../../src/command/command.ts";
import type { Trigger } from "../../../src/command/trigger.ts";
import { HostUnavailable } from "../../../src/delivery/host.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import type { LocalGitHub } from "../github/local-github.ts";
import { endJob, type Process, startProcess } from "../story/stage.ts";
import { tellsStory } from "../story/tale.ts";
import { type ArtifactLine, artifactLine } from "./artifact-line.ts";
import type { Scene } from "./scene.ts";

export type End = Outcome | { readonly kind: "died" } | { readonly kind: "threw"; readonly error: unknown };

export type Lived = { readonly process: Process; readonly end: End };

/** Begins a process; `die` ends it on the spot, and nothing that it asked for comes back to it. */
export function beginLife(
  scene: Scene,
  asked: { readonly says: string; readonly comment: number },
): { readonly die: () => void; readonly lived: Promise<Lived> } {
  const { stage, github } = scene;
  const gone = new AbortController();
  let line: ArtifactLine | null = null;
  const process = startProcess(stage, {
    orders: scene.orders,
    model: tellsStory(scene.tale),
    over: (means) => {
      const place = placeOf(github, means, gone.signal);
      line = scene.kind === "fork" ? artifactLine(github, place, means.run.id) : null;
      return { ...meansAt(scene, place), ...(line === null ? {} : { patches: line.patches }) };
    },
  });
  const id = Number(process.id);
  github.addRun({ id, event: "issue_comment", actor: "octo" });
  const die = (): void => {
    process.life.die();
    gone.abort();
    line?.cut();
  };
  const lived = live(scene, process, asked).finally(() => line?.end());
  return { die, lived };
}

async function live(
  scene: Scene,
  process: Process,
  { says, comment }: { readonly says: string; readonly comment: number },
): Promise<Lived> {
  const { github, stage } = scene;
  const command = parseCommand(says, "@baton");
  if (command === null) throw new Error(`${says} is no command`);
  const trigger = triggerOf(scene, comment, says);
  const { signal } = new AbortController();
  const ended: Promise<End> = handle({ trigger, command }, process.means, {
    signal,
    opened: process.isOpen,
  }).catch((error: unknown): End => ({ kind: "threw", error }));
  const died = process.life.died.then((): End => ({ kind: "died" }));
  const end = await Promise.race([ended, died]);
  // Where the machine survives, `post` ships what main left; here it is lost with a process that died.
  await endJob(stage, process, end.kind === "threw" ? "survives" : "lost");
  github.completeRun(Number(process.id));
  return { process, end };
}

/** What the entry makes of an end: an error of GitHub's suspends, and any other is a fault. */
export function endOf(end: End): string {
  if (end.kind === "died") return "died";
  if (end.kind !== "threw") return `${end.kind}/${end.reason}`;
  return end.error instanceof HostUnavailable ? "suspended/github" : `failed/${String(end.error)}`;
}

function placeOf(github: LocalGitHub, { clock }: Means, signal: AbortSignal): Place {
  const { owner, name: repo } = github.repository;
  const client = githubClient({ baseUrl: github.url, token: github.jobToken, version: "0", clock, signal });
  return { client, owner, repo, clock, signal };
}

function meansAt({ github }: Scene, place: Place): Partial<Means> {
  const { owner, name: repo, id } = github.repository;
  return {
    repository: { id, owner, name: repo, defaultBranch: "main" },
    serverUrl: github.serverUrl,
    host: githubHost({ ...place, identity: { login: "github-actions[bot]" } }),
    leases: githubLeases(place),
    permissions: githubPermissions(place),
  };
}

function triggerOf({ github, thread, kind, branch, stage }: Scene, comment: number, body: string): Trigger {
  const at = "2026-01-01T00:00:00Z";
  const by = { login: "octo", id: github.userId("octo"), type: "User" };
  const words = { number: thread, title: "Broken", body: "Both are wrong.", author: "octo" } as const;
  const repositoryId = github.repository.id;
  const isPull = kind === "pull" || kind === "fork";
  return {
    kind: "comment",
    repositoryId,
    session: sessionIdOf(`repo:${repositoryId}/comment:${comment}`),
    sender: by,
    comment: { id: comment, body, author: by, createdAt: at, updatedAt: at },
    thread: {
      ...words,
      kind: isPull ? "pull-request" : "issue",
      state: "open",
      locked: false,
      head: isPull
        ? { ref: branch, sha: stage.base.sha, repositoryId: repositoryId + Number(kind === "fork") }
        : null,
      base: isPull ? { ref: "main" } : null,
    },
  };
}
