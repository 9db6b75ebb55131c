import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseBaseUrl } from "../adapters/anthropic/base-url.ts";
import { parseScript, type ScriptedReply } from "../adapters/scripted/script.ts";
import { parseSessionId, type SessionId, sessionIdOf } from "../session/id.ts";
import type { LocalCommand } from "./local-arguments.ts";
import { againOrders, keepOrders, type LocalOrders, newOrders, type Ordered } from "./local-orders.ts";
import type { LocalPlaces } from "./local-places.ts";
import type { LocalRun } from "./local-run-name.ts";

export type Going = Extract<LocalCommand, { kind: "run" | "resume" }>;

export type Prepared = {
  readonly kind: "prepared";
  readonly session: SessionId;
  readonly orders: LocalOrders;
  /** Null where a real model is asked. */
  readonly script: readonly ScriptedReply[] | null;
  /** Null for Anthropic itself. */
  readonly baseUrl: string | null;
};

type Unusable = Extract<Ordered, { kind: "unusable" }>;

/** Everything that can be wrong with what was typed is found here, before anything is begun. */
export async function prepare(
  command: Going,
  here: {
    readonly run: LocalRun;
    readonly cwd: string;
    readonly places: LocalPlaces;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly path: string;
  },
): Promise<Prepared | Unusable> {
  const baseUrl = here.env["ANTHROPIC_BASE_URL"] ?? null;
  const base = parseBaseUrl(baseUrl);
  if (base.kind === "refused") return unusable(`ANTHROPIC_BASE_URL: ${base.why}`);
  const session =
    command.kind === "run" ? sessionIdOf(`local/run:${here.run.id}`) : parseSessionId(command.session);
  if (command.kind === "resume" && (session === null || !(await isKept(session, here.places))))
    return unusable(`${command.session}: there is no such session in ${here.places.dir}`);
  if (session === null) throw new Error("a run has no session");
  const ordered =
    command.kind === "run"
      ? await newOrders(command.asked, here)
      : await againOrders(session, command.asked, here);
  if (ordered.kind === "unusable") return ordered;
  const { orders } = ordered;
  const script = orders.script === null ? null : await readScript(orders.script);
  if (script !== null && "kind" in script) return script;
  if (command.kind === "run") await keepOrders(session, orders, here.places);
  return { kind: "prepared", session, orders, script, baseUrl };
}

/** Whether there is a session of that name, whole or not. */
export async function isKept(session: SessionId, places: LocalPlaces): Promise<boolean> {
  const files = ["session.json", "events.jsonl"].map((name) => path.join(places.home(session), name));
  // A log is made before its first record is written.
  const sizes = [...files, places.rewriting(session)].map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).some((size) => size > 0);
}

async function readScript(file: string): Promise<readonly ScriptedReply[] | Unusable> {
  try {
    return parseScript(await readFile(file, "utf8"), file);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : String(error));
  }
}

function unusable(why: string): Unusable {
  return { kind: "unusable", why };
}
