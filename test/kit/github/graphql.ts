// What the product uses of GraphQL: who asks, and `updateRefs`, a compare-and-swap of refs, all of them or none.
//
// GitHub's schema (docs.github.com/graphql/reference/git):
//   input UpdateRefsInput { clientMutationId: String, repositoryId: ID!, refUpdates: [RefUpdate!]! }
//   input RefUpdate { name: GitRefname!, afterOid: GitObjectID!, beforeOid: GitObjectID, force: Boolean = false }
// The sentences of its refusals are not documented, except that they come as `errors` with status 200.
import { type Answer, answer, refuse } from "./answer.ts";
import { ask, refNamed, typeOf, zeroId } from "./repository-reads.ts";
import { type Account, mayPush, type World } from "./world.ts";

export const graphqlPath = "/graphql";

export type GraphqlRequest = {
  readonly method: string;
  readonly json: unknown;
  readonly caller: Account | undefined;
};

export type GraphqlAnswer = { readonly answer: Answer; readonly problems: readonly string[] };

type RefUpdate = {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string;
  readonly force?: boolean;
};

const document =
  /^\s*mutation\s*\w*\s*\(\s*\$input\s*:\s*UpdateRefsInput!\s*\)\s*\{\s*updateRefs\s*\(\s*input\s*:\s*\$input\s*\)\s*\{\s*clientMutationId\s*\}\s*\}\s*$/;

const viewer = "query { viewer { login } }";

/** `changed` runs after refs were moved, before it is answered. */
export async function answerGraphql(
  world: World,
  { method, json, caller }: GraphqlRequest,
  changed: () => Promise<void>,
): Promise<GraphqlAnswer> {
  if (method !== "POST") return { answer: refuse(404, "Not Found"), problems: ["GraphQL is asked by POST"] };
  if (!caller)
    return { answer: refuse(401, "This endpoint requires you to be authenticated."), problems: [] };
  // Other than by REST, an installation is told its name.
  if (isRecord(json) && json["query"] === viewer)
    return { answer: answer(200, { data: { viewer: { login: caller.login } } }), problems: [] };
  const problems = problemsOf(json);
  if (problems.length > 0) return { answer: errors(null, problems.join("; ")), problems };
  const { repositoryId, refUpdates } = inputOf(json) as {
    readonly repositoryId: string;
    readonly refUpdates: readonly RefUpdate[];
  };
  if (repositoryId !== world.repository.node_id) {
    const message = `Could not resolve to a node with the global id of '${repositoryId}'`;
    return { answer: errors("NOT_FOUND", message), problems };
  }
  const writes = caller.kind === "bot" ? world.settings.job.contents === "write" : mayPush(caller);
  if (!writes) return { answer: errors("FORBIDDEN", "Resource not accessible by integration"), problems };
  const refused = await moveRefs(world, refUpdates);
  if (refused !== null) return { answer: errors("UNPROCESSABLE", refused), problems };
  await changed();
  return { answer: answer(200, { data: { updateRefs: { clientMutationId: null } } }), problems };
}

async function moveRefs(world: World, updates: readonly RefUpdate[]): Promise<string | null> {
  const lines: string[] = [];
  for (const { name, afterOid, beforeOid, force = false } of updates) {
    if (name.startsWith("refs/pull/")) return `Reference ${name} cannot be updated`;
    const at = (await refNamed(world, name))?.sha ?? zeroId;
    const before = beforeOid ?? at;
    if (before !== at) return `Expected ${name} to point to ${before}`;
    if (afterOid !== zeroId && (await typeOf(world, afterOid)) !== "commit")
      return `Could not resolve to a commit with the oid ${afterOid}`;
    const follows =
      [before, afterOid].includes(zeroId) || force || (await isAncestor(world, before, afterOid));
    if (!follows) return `Reference ${name} cannot be updated: not a fast-forward`;
    lines.push(`update ${name} ${afterOid} ${before}`);
  }
  const input = `start\n${lines.join("\n")}\ncommit\n`;
  try {
    // Git compares once more under its own lock, however close the race was.
    await world.bare.run(["update-ref", "--stdin"], { input });
    return null;
  } catch {
    return "Expected references to point to other commits";
  }
}

async function isAncestor(world: World, from: string, to: string): Promise<boolean> {
  return (await ask(world, "merge-base", "--is-ancestor", from, to)) !== undefined;
}

function errors(type: string | null, message: string): Answer {
  const path = type === null ? {} : { type, path: ["updateRefs"] };
  const locations = [{ line: 1, column: 1 }];
  return answer(200, { data: { updateRefs: null }, errors: [{ ...path, locations, message }] });
}

/** How a request breaks the schema; empty when it keeps it. */
function problemsOf(json: unknown): readonly string[] {
  const query = isRecord(json) ? json["query"] : undefined;
  if (typeof query !== "string" || !document.test(query)) return [`no such mutation here: ${String(query)}`];
  const input = inputOf(json);
  if (!isRecord(input)) return ["$input is missing"];
  const { repositoryId, refUpdates, clientMutationId, ...more } = input;
  const problems = Object.keys(more).map((key) => `UpdateRefsInput has no field ${key}`);
  if (typeof repositoryId !== "string") problems.push("repositoryId must be an ID");
  if (!["string", "undefined"].includes(typeof clientMutationId))
    problems.push("clientMutationId must be a String");
  if (!Array.isArray(refUpdates) || refUpdates.length === 0)
    return [...problems, "refUpdates must be a list"];
  return [...problems, ...refUpdates.flatMap(problemsOfUpdate)];
}

function problemsOfUpdate(update: unknown): readonly string[] {
  if (!isRecord(update)) return ["a RefUpdate must be an object"];
  const { name, afterOid, beforeOid, force, ...more } = update;
  const problems = Object.keys(more).map((key) => `RefUpdate has no field ${key}`);
  if (typeof name !== "string" || !/^refs\/[^/]+\/./.test(name))
    problems.push(`name must be fully qualified: ${String(name)}`);
  if (!isOid(afterOid)) problems.push("afterOid must be a GitObjectID");
  if (beforeOid !== undefined && !isOid(beforeOid)) problems.push("beforeOid must be a GitObjectID");
  if (!["boolean", "undefined"].includes(typeof force)) problems.push("force must be a Boolean");
  return problems;
}

function inputOf(json: unknown): unknown {
  const variables = isRecord(json) ? json["variables"] : undefined;
  return isRecord(variables) ? variables["input"] : undefined;
}

function isOid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{40}$/.test(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
