import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { branchHead, currentBranch, findRepository } from "../adapters/git/local-repository.ts";
import { digestOf } from "../base/hash.ts";
import type { SessionId } from "../session/id.ts";
import type { Asked } from "./local-arguments.ts";
import type { LocalPlaces } from "./local-places.ts";

const lines = v.nullable(v.array(v.string()));
const schema = v.object({
  /** The top of the work tree, or the bare repository. Absolute. */
  repository: v.string(),
  /** What it was counted as when the session began; it may have been moved since. */
  repositoryId: v.number(),
  base: v.string(),
  /** The branch that was checked out, where that decided the base; null where `--base` named it. */
  head: v.optional(v.nullable(v.string()), null),
  model: v.string(),
  /** The file that stands for a model; absolute. */
  script: v.nullable(v.string()),
  config: v.string(),
  setup: lines,
  checks: lines,
  sandbox: v.picklist(["on", "off"]),
});

/** What a session was begun with and a resume needs again. It stands beside the session, on this machine only. */
export type LocalOrders = Readonly<v.InferOutput<typeof schema>>;

export type Ordered =
  | { readonly kind: "orders"; readonly orders: LocalOrders }
  | { readonly kind: "unusable"; readonly why: string };

type Here = { readonly cwd: string; readonly places: LocalPlaces; readonly path: string };

const defaults = { model: "claude-sonnet-5-5", config: ".github/agent.yml" };

/** The orders of a new session, checked as far as the machine can be asked. */
export async function newOrders(asked: Asked, here: Here): Promise<Ordered> {
  const dir = path.resolve(here.cwd, asked.repo ?? ".");
  const found = findRepository(dir);
  if (found === null) return unusable(`${dir} is in no git repository; name one with --repo`);
  await mkdir(here.places.dir, { recursive: true, mode: 0o700 });
  const place = { gitDir: found.gitDir, home: here.places.dir, path: here.path };
  const head = asked.base === null ? await currentBranch(place) : null;
  const base = asked.base ?? head;
  if (base === null) return unusable(`no branch is checked out in ${found.path}; name one with --base`);
  if ((await branchHead(place, base)) === null) {
    return unusable(`${found.path} has no branch ${base} with a commit; name one with --base`);
  }
  return {
    kind: "orders",
    orders: {
      repository: found.path,
      // In place of GitHub's number.
      repositoryId: Number.parseInt(digestOf(found.path).slice(0, 12), 16),
      base,
      head,
      ...modelOf(asked.model ?? defaults.model, here.cwd),
      config: asked.config ?? defaults.config,
      setup: copyOf(asked.setup),
      checks: copyOf(asked.checks),
      sandbox: asked.sandbox ?? "on",
    },
  };
}

/** The orders of a session that goes on, with what has moved meanwhile. */
export async function againOrders(session: SessionId, asked: Asked, here: Here): Promise<Ordered> {
  const file = here.places.orders(session);
  const kept = v.safeParse(schema, await jsonOf(file));
  if (!kept.success) return unusable(`${file} does not say how ${session} was begun`);
  const { base } = kept.output;
  if (asked.base !== null && asked.base !== base) {
    return unusable(
      `${session} works from ${base}, not from ${asked.base}; only run can begin on another branch`,
    );
  }
  // Said once, it holds for every later resume.
  const head = asked.base === null ? kept.output.head : null;
  if (head !== kept.output.head) await keepOrders(session, { ...kept.output, head }, here.places);
  const dir = asked.repo === null ? kept.output.repository : path.resolve(here.cwd, asked.repo);
  const found = findRepository(dir);
  if (found === null) return unusable(`${dir} is in no git repository any more; name it with --repo`);
  const model = asked.model === null ? {} : modelOf(asked.model, here.cwd);
  const sandbox = asked.sandbox ?? kept.output.sandbox;
  return { kind: "orders", orders: { ...kept.output, ...model, head, repository: found.path, sandbox } };
}

export async function keepOrders(
  session: SessionId,
  orders: LocalOrders,
  places: LocalPlaces,
): Promise<void> {
  const file = places.orders(session);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.tmp`, `${JSON.stringify(orders, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

export async function forgetOrders(session: SessionId, places: LocalPlaces): Promise<void> {
  await rm(places.orders(session), { force: true });
}

function modelOf(name: string, cwd: string): Pick<LocalOrders, "model" | "script"> {
  if (!name.startsWith("scripted:")) return { model: name, script: null };
  return { model: "scripted", script: path.resolve(cwd, name.slice("scripted:".length)) };
}

function copyOf(list: readonly string[] | null): string[] | null {
  return list === null ? null : [...list];
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

function unusable(why: string): Ordered {
  return { kind: "unusable", why };
}
