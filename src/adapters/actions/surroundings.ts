import { readFileSync, statSync } from "node:fs";
import * as v from "valibot";
import { isLoopback } from "./loopback.ts";

/** What the runner says about this job: facts of the machine and of GitHub, not of the workflow's author. */
export type Surroundings = {
  readonly kind: "surroundings";
  readonly eventName: string;
  /** The payload as parsed; nothing in it is trusted or checked yet. */
  readonly event: unknown;
  readonly repository: { readonly id: number; readonly owner: string; readonly name: string };
  readonly run: { readonly id: string; readonly attempt: number; readonly job: string };
  readonly actor: { readonly login: string; readonly id: number };
  /** The workflow file that runs us, such as `.github/workflows/agent.yml`, and the ref it was taken from. */
  readonly workflow: { readonly path: string; readonly ref: string };
  /** Without a slash at the end: `https://github.com` and `https://api.github.com`, or what stands in for them. */
  readonly serverUrl: string;
  readonly apiUrl: string;
  /** Emptied by the runner before and after each job; absolute. */
  readonly tempDir: string;
  /** Where a checkout would lie, whether there is one or not; absolute. */
  readonly workspaceDir: string;
  readonly runner: "hosted" | "self-hosted";
  readonly path: string;
  readonly platform: NodeJS.Platform;
};

export type SurroundingsRefused = { readonly kind: "refused"; readonly why: string };

const eventBytesMax = 32 * 1024 * 1024;

/** Reads the runner's variables and the event's file. Whatever is missing or odd is refused, and named. */
export function readSurroundings(): Surroundings | SurroundingsRefused {
  const read = v.safeParse(variables, { ...process.env });
  if (!read.success) return refuse(read.issues.map(sentenceFor).join(" "));
  const env = read.output;
  const elsewhere = refusedServer(env.GITHUB_SERVER_URL);
  if (elsewhere !== null) return elsewhere;
  const event = readEvent(env.GITHUB_EVENT_PATH);
  if (event.kind === "refused") return event;
  return {
    kind: "surroundings",
    eventName: env.GITHUB_EVENT_NAME,
    event: event.value,
    repository: { id: env.GITHUB_REPOSITORY_ID, ...env.GITHUB_REPOSITORY },
    run: { id: env.GITHUB_RUN_ID, attempt: env.GITHUB_RUN_ATTEMPT, job: env.GITHUB_JOB },
    actor: { login: env.GITHUB_ACTOR, id: env.GITHUB_ACTOR_ID },
    workflow: env.GITHUB_WORKFLOW_REF,
    serverUrl: env.GITHUB_SERVER_URL,
    apiUrl: env.GITHUB_API_URL,
    tempDir: env.RUNNER_TEMP,
    workspaceDir: env.GITHUB_WORKSPACE,
    // What is not known to be hosted may lose power with the log in its page cache.
    runner: process.env["RUNNER_ENVIRONMENT"] === "github-hosted" ? "hosted" : "self-hosted",
    path: env.PATH,
    platform: process.platform,
  };
}

/** What `auto` means here: the disk of a hosted machine is gone with it, so only a dying process matters there. */
export function durabilityFor(
  setting: "auto" | "process" | "disk",
  { runner }: Pick<Surroundings, "runner">,
): "process" | "disk" {
  if (setting !== "auto") return setting;
  return runner === "hosted" ? "process" : "disk";
}

const text = v.pipe(v.string("is not set"), v.nonEmpty("is empty"));
const wholeNumber = v.pipe(text, v.regex(/^\d{1,15}$/, "is not a whole number"), v.transform(Number));
const directory = v.pipe(
  text,
  v.check((path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path), "is not an absolute path"),
);
const address = v.pipe(
  text,
  v.check((url) => URL.canParse(url), "is not an address"),
  v.check(isSafe, "is plain http to another machine"),
  v.transform((url) => url.replace(/\/+$/, "")),
);

/** The names are the runner's. */
const variables = v.object({
  GITHUB_EVENT_NAME: text,
  GITHUB_EVENT_PATH: text,
  GITHUB_REPOSITORY: v.pipe(
    text,
    v.regex(/^[\w.-]+\/[\w.-]+$/, "is not owner/name"),
    v.transform((full) => {
      const [owner = "", name = ""] = full.split("/");
      return { owner, name };
    }),
  ),
  GITHUB_REPOSITORY_ID: wholeNumber,
  GITHUB_RUN_ID: v.pipe(text, v.regex(/^\d{1,20}$/, "is not a run's id")),
  GITHUB_RUN_ATTEMPT: wholeNumber,
  GITHUB_JOB: text,
  GITHUB_ACTOR: text,
  GITHUB_ACTOR_ID: wholeNumber,
  GITHUB_WORKFLOW_REF: v.pipe(
    text,
    v.regex(
      /^[^/]+\/[^/]+\/\.github\/workflows\/[^/]+?\.ya?ml@.+$/,
      "does not name a workflow file of a repository",
    ),
    v.transform((full) => {
      const [, path = "", ref = ""] = /^[^/]+\/[^/]+\/(.+?\.ya?ml)@(.+)$/.exec(full) ?? [];
      return { path, ref };
    }),
  ),
  GITHUB_SERVER_URL: address,
  GITHUB_API_URL: address,
  RUNNER_TEMP: directory,
  GITHUB_WORKSPACE: directory,
  PATH: text,
});

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function refusedServer(url: string): SurroundingsRefused | null {
  if (url === "https://github.com" || isLoopback(new URL(url).hostname)) return null;
  return refuse(
    `This runner belongs to ${url}. GitHub Enterprise Server is not supported: its artifacts cannot keep a session.`,
  );
}

type Event = { readonly kind: "event"; readonly value: unknown } | SurroundingsRefused;

function readEvent(path: string): Event {
  try {
    const { size } = statSync(path);
    if (size > eventBytesMax)
      return refuse(`The event's file ${path} is larger than ${eventBytesMax} bytes.`);
    return { kind: "event", value: JSON.parse(readFileSync(path, "utf8")) as unknown };
  } catch (error) {
    // The parser's own message would repeat a piece of the payload.
    const why = error instanceof SyntaxError ? "it is not JSON" : "it cannot be read";
    return refuse(`The event's file ${path} is of no use: ${why}.`);
  }
}

function sentenceFor(issue: v.InferIssue<typeof variables>): string {
  const name = v.getDotPath(issue) ?? "";
  // An absent key is reported as such by the object, whatever its schema would say.
  const what = issue.received === "undefined" ? "is not set" : issue.message;
  return `The variable ${name} ${what}: this does not look like a job of GitHub Actions.`;
}

function refuse(why: string): SurroundingsRefused {
  return { kind: "refused", why };
}
