// What a session left on the shelf, opened with the key and proved by the product's own means.
import { githubClient } from "../../src/adapters/github/client.ts";
import { githubShelf } from "../../src/adapters/github/shelf.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { type Find, findSession } from "../../src/session/find.ts";
import { parseSessionId, type SessionId, sessionIdOf } from "../../src/session/id.ts";
import type { Shelf } from "../../src/session/shelf.ts";
import { type SealKey, sealKeyOf } from "../../src/session/shipment.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { eventsOf, handClock } from "./given.ts";
import { apiKey, type World } from "./world.ts";

/** The session that a comment starts. */
export function sessionOf({ github }: World, { comment }: { readonly comment: number }): SessionId {
  return sessionIdOf(`repo:${github.repository.id}/comment:${comment}`);
}

/** The session's artifacts, oldest first. */
export function shipmentsOf({ github }: World, session: string): readonly { name: string; run: number }[] {
  return github.artifacts.list().filter(({ name }) => name.startsWith(`agent-session-${session}-`));
}

export function keyOf({ github }: World): SealKey {
  return sealKeyOf(apiKey, github.repository.id);
}

export type Stored = {
  readonly events: readonly SessionEvent[];
  readonly found: Extract<Find, { kind: "found" }>["session"];
};

/** The types of the work's own records: the comment and the shipments are made beside it, and where theirs stand is chance. */
export function workOf(events: readonly SessionEvent[]): readonly SessionEvent["type"][] {
  const beside: readonly SessionEvent["type"][] = ["shipment.sent", "effect.intended", "effect.settled"];
  return events.map(({ type }) => type).filter((type) => !beside.includes(type));
}

/** Null when the session stored nothing. Throws when what it stored cannot be read or does not verify. */
export async function storedSession(world: World, id: string): Promise<Stored | null> {
  const session = parseSessionId(id);
  if (session === null) throw new Error(`${id} is no session id`);
  const runs = [...new Set(shipmentsOf(world, session).map(({ run }) => String(run)))];
  if (runs.length === 0) return null;
  const { signal } = new AbortController();
  const repositoryId = world.github.repository.id;
  const options = { shelf: shelfOf(world), runs, key: keyOf(world), repositoryId, claims: [], signal };
  const found = await findSession(session, options);
  if (found.kind === "refused") throw new Error(`${session}: ${found.code}: ${found.why}`);
  const checked = verifyLog(found.session, { witnessed: [] });
  if (checked.kind === "damage") throw new Error(`${session}: ${checked.code}: ${checked.why}`);
  return { events: eventsOf(checked.log), found: found.session };
}

function shelfOf({ github, dir }: World): Shelf {
  const clock = handClock();
  const { signal } = new AbortController();
  const client = githubClient({
    baseUrl: github.url,
    token: github.jobToken,
    version: "0.0.0-test",
    clock,
    signal,
  });
  const { owner, name: repo, id, defaultBranch } = github.repository;
  const home = { repositoryId: id, defaultBranch, workflowPaths: [".github/workflows/agent.yml"] };
  return githubShelf({ client, owner, repo, clock, signal, home, retentionDays: 1, tempDir: dir });
}
