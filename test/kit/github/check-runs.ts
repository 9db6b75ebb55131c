// Check runs. Only apps make them; what a job's token makes is the Actions app's.
import {
  type Answer,
  answer,
  type Call,
  type Handlers,
  invalid,
  paginate,
  refuse,
  textOf,
} from "./answer.ts";
import { typeOf } from "./repository-reads.ts";
import type { RestCheckRun } from "./rest-types.ts";
import { apiUrl, htmlUrl, nodeId } from "./shapes.ts";
import type { World } from "./world.ts";

const annotationsMax = 50;
const textCharactersMax = 65_535;

export function checkRunHandlers(world: World): Handlers {
  return {
    "checks/create": (call) => createRun(world, call),
    "checks/list-for-ref": ({ params, url }) => {
      const name = url.searchParams.get("check_name");
      const of = world.checkRuns.filter((run) => run.head_sha === params["ref"]);
      const runs = of.filter((run) => name === null || run.name === name).reverse();
      const { items, headers } = paginate(url, runs);
      return answer(200, { total_count: runs.length, check_runs: items }, headers);
    },
  };
}

async function createRun(world: World, call: Call): Promise<Answer> {
  const head = textOf(call, "head_sha") ?? "";
  if (call.caller?.kind !== "bot") return refuse(403, "You must authenticate via a GitHub App.");
  if ((await typeOf(world, head)) !== "commit") return refuse(422, `No commit found for SHA: ${head}`);
  const output = call.body["output"] as { [name: string]: unknown };
  const annotations = output["annotations"];
  const count = Array.isArray(annotations) ? annotations.length : 0;
  if (count > annotationsMax) return invalid("CheckRun", "annotations");
  if (String(output["summary"]).length > textCharactersMax) return invalid("CheckRun", "summary");
  const run = runShape(world, call, { head, output, count });
  world.checkRuns.push(run);
  return answer(201, run);
}

function runShape(
  world: World,
  call: Call,
  {
    head,
    output,
    count,
  }: { readonly head: string; readonly output: { [name: string]: unknown }; readonly count: number },
): RestCheckRun {
  const id = world.nextId();
  const url = apiUrl(world, `/check-runs/${id}`);
  return {
    id,
    node_id: nodeId("CR", id),
    head_sha: head,
    name: textOf(call, "name") ?? "",
    external_id: textOf(call, "external_id") ?? "",
    url,
    html_url: htmlUrl(world, `/runs/${id}`),
    details_url: textOf(call, "details_url") ?? null,
    status: "completed",
    conclusion: (textOf(call, "conclusion") ?? "neutral") as RestCheckRun["conclusion"],
    started_at: world.now(),
    completed_at: world.now(),
    check_suite: { id },
    output: {
      title: String(output["title"]),
      summary: String(output["summary"]),
      text: null,
      annotations_count: count,
      annotations_url: `${url}/annotations`,
    },
    app: null,
    pull_requests: [],
  };
}
