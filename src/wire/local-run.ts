import { rm } from "node:fs/promises";
import { handle } from "../app/handle.ts";
import type { Means } from "../app/means.ts";
import { type Outcome, outcome } from "../app/outcome.ts";
import { maskOf } from "../base/masking.ts";
import type { DispatchAsks } from "../command/asks.ts";
import { commandOf } from "../command/command.ts";
import { applyCommand } from "../delivery/patch.ts";
import type { SessionId } from "../session/id.ts";
import { systemClock } from "./clock.ts";
import { commentary } from "./commentary.ts";
import type { Medium } from "./commentary-turn.ts";
import { diskFault } from "./disk-fault.ts";
import { type LocalOptions, localMeans } from "./local.ts";
import { type Cancel, listenForCancel } from "./local-cancel.ts";
import { forgetOrders } from "./local-orders.ts";
import type { LocalPlaces } from "./local-places.ts";
import { type Going, isKept, type Prepared, prepare } from "./local-prepare.ts";
import { printer } from "./local-printer.ts";
import { type LocalRun, newRun, removeRuns } from "./local-run-name.ts";
import { shelveSession } from "./local-shelve.ts";
import { onLines } from "./local-waits.ts";

/** The terminal that the command was given in. */
export type Terminal = {
  readonly cwd: string;
  readonly places: LocalPlaces;
  /** The variables of the terminal, without the key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly apiKey: string | null;
  readonly toolhost: string;
  /** How the program is called, for the commands that it suggests, and the flags that those need. */
  readonly program: string;
  readonly flags: string;
  readonly write: (text: string) => void;
  /** Whether what was written still waits to be read. */
  readonly isBehind: () => boolean;
};

/** Starts or resumes a session and tells it as it goes. Resolves with the exit code; 2 where nothing was begun. */
export async function runLocally(command: Going, terminal: Terminal): Promise<number> {
  const { places, env, apiKey } = terminal;
  const print = printer(terminal.write, maskOf(apiKey === null ? [] : [apiKey]));
  const run = newRun();
  const path = env["PATH"] ?? "/usr/bin:/bin";
  const prepared = await prepare(command, { ...terminal, run, path });
  if (prepared.kind === "unusable") {
    print(`${prepared.why}.`);
    return 2;
  }
  const { session } = prepared;
  using cancel = listenForCancel(print);
  const ended = await go(command, { ...terminal, ...prepared, run, path, print, cancel });
  await removeRuns(places, { own: run, say: print });
  const kept = await isKept(session, places);
  if (!kept) await forget(session, places);
  for (const line of linesFor(ended, { ...terminal, session: kept ? session : null })) print(line);
  const isCut = ended.kind === "suspended" && ended.reason === "cancelled";
  return isCut ? (cancel.exit ?? ended.exit) : ended.exit;
}

type Parts = Terminal &
  Prepared & {
    readonly run: LocalRun;
    readonly path: string;
    readonly print: (text: string) => void;
    readonly cancel: Cancel;
  };

async function go(command: Going, parts: Parts): Promise<Outcome> {
  const { session, places, run, path, cancel } = parts;
  const { signal } = cancel;
  const told = commentary(mediumOf(parts), {
    mask: maskOf(parts.apiKey === null ? [] : [parts.apiKey]),
    clock: systemClock,
    // Nobody else reads this terminal.
    outputs: "shown",
  });
  const watch = told.onEvent;
  let open = false;
  const opened = (): void => {
    open = true;
  };
  const fault = (error: unknown): Outcome => unexpected(error, { session, signal, open });
  const carryOut = (asks: DispatchAsks, means: Means): Promise<Outcome> => {
    const sender = { ...whoAsks(parts.env), type: "User" };
    const trigger = { kind: "dispatch", repositoryId: means.repository.id, session, sender, asks } as const;
    const command = commandOf(trigger, means.orders.triggerPhrase);
    if (command === null) throw new Error("what the terminal asks is no command");
    return handle({ trigger, command }, means, { signal, fault, opened: () => open });
  };
  try {
    if (command.kind === "run") {
      const means = await localMeans(optionsFor(command, parts, { fromShelf: null, told, opened }));
      return await carryOut({ kind: "task", task: command.task, target: null }, means);
    }
    const shelved = await shelveSession(session, { places, run, path, watch, signal });
    if (shelved.kind === "refused") return outcome("refused", shelved.code, shelved.why, { session });
    const means = await localMeans(optionsFor(command, parts, { fromShelf: shelved.run, told, opened }));
    const { answer } = command;
    return await carryOut({ kind: "resume", session, run: shelved.run, answer }, means);
  } catch (error) {
    return fault(error);
  } finally {
    told.end();
  }
}

/** A terminal has no groups: their titles are lines. */
function mediumOf({ print, isBehind }: Parts): Medium {
  const group = (title: string): Disposable => {
    print(title);
    return { [Symbol.dispose]: () => undefined };
  };
  return { say: print, group, isBehind };
}

function optionsFor(
  command: Going,
  parts: Parts,
  more: Pick<LocalOptions, "fromShelf" | "told" | "opened">,
): LocalOptions {
  const { orders, places, run, path, apiKey, baseUrl, script, env, toolhost, print, cancel } = parts;
  return {
    orders,
    places,
    run,
    path,
    user: whoAsks(env),
    budget: command.asked.budget,
    resolve: command.asked.resolve,
    modelGiven: command.asked.model !== null,
    apiKey,
    baseUrl,
    script,
    env,
    toolhost,
    say: print,
    limit: cancel.limit,
    cancelled: cancel.cancelled,
    ...more,
  };
}

/** What no story turned into a value: a full disk, a Ctrl-C before a session was open, a fault of ours. */
function unexpected(
  error: unknown,
  {
    session,
    signal,
    open,
  }: { readonly session: SessionId; readonly signal: AbortSignal; readonly open: boolean },
): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
  const disk = diskFault(error);
  if (disk !== null) return outcome("failed", "storage", disk, { session, resumable: open });
  if (!signal.aborted)
    return outcome("failed", "internal", `A fault of Baton: ${message}${cause}.`, {
      session,
      resumable: open,
    });
  const detail = open
    ? "It was interrupted. What was recorded is kept."
    : "It was interrupted before it began.";
  return outcome("suspended", "cancelled", detail, { session, resumable: open });
}

/** A run that was refused before it had a log leaves nothing behind. */
async function forget(session: SessionId, places: LocalPlaces): Promise<void> {
  await forgetOrders(session, places);
  await rm(places.home(session), { recursive: true, force: true });
}

/** By the environment: a container may run us under a uid that no account has. */
function whoAsks(env: Parts["env"]): { readonly login: string; readonly id: number } {
  const name = env["USER"] ?? env["LOGNAME"] ?? "";
  return { login: /^[A-Za-z0-9-]{1,39}$/.test(name) ? name : "local", id: process.getuid?.() ?? 0 };
}

/** `session` is the one that is kept, null where there is none. */
function linesFor(
  ended: Outcome,
  { session, program, flags, places }: Terminal & { readonly session: SessionId | null },
): readonly string[] {
  const { kind, reason, detail, branch, headSha, patch, turns, costUsd, waits } = ended;
  const cost = costUsd === null ? "cost unknown" : `${costUsd.toFixed(2)} USD`;
  // What was refused before its log was read has spent nobody knows what.
  const spent = kind === "refused" && turns === 0 ? "" : `${turns} turns, ${cost}, `;
  // The log on this machine is the session, whether or not it could be shelved.
  const goesOn =
    session !== null && reason !== "moved" && (ended.resumable || kind === "suspended" || kind === "failed");
  const again = `${program} resume ${session}${flags}`;
  return [
    `${kind} (${reason}): ${detail}`,
    ...(branch === null ? [] : [`branch ${branch} at ${headSha ?? "an unknown commit"}`]),
    ...(patch === null ? [] : [`what was held back: ${applyCommand(patch.file)}`]),
    ...(session === null ? [] : [`session ${session}: ${spent}kept in ${places.dir}`]),
    ...(goesOn ? onLines({ kind, waits }, again) : []),
  ];
}
