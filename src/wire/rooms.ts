import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import path from "node:path";
import { layApart } from "../adapters/sandbox/apart.ts";
import { sandboxChecks } from "../adapters/sandbox/checks.ts";
import { removeTree } from "../adapters/sandbox/end.ts";
import { type SandboxKind, sandboxKinds } from "../adapters/sandbox/kind.ts";
import { openSandbox, type Sandbox, type SandboxGround } from "../adapters/sandbox/open.ts";
import { runSetup } from "../adapters/sandbox/setup.ts";
import { startSandbox } from "../adapters/sandbox/start.ts";
import { sandboxToolbox } from "../adapters/sandbox/toolbox.ts";
import type { Room, Rooms, RunDirs, SetupPlace } from "../app/means.ts";
import { tools } from "../tools/all.ts";

export type RoomsOptions = {
  readonly sandbox: "on" | "off";
  /** What switches it off, where that is not the action's input: for the sentence that says it does not hold. */
  readonly offSwitch?: string;
  readonly ground: Omit<SandboxGround, "kind" | "declared" | "record">;
  /** The job's variables, of which only declared names are ever passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A private directory of this run. */
  readonly scratch: string;
  readonly setupMinutes: number;
  readonly record: NonNullable<SandboxGround["record"]>;
  readonly say: (text: string) => void;
};

/** Where repository code runs, each time in a sandbox of the kind that this machine allows. */
export function sandboxRooms(options: RoomsOptions): Rooms {
  const { scratch, setupMinutes } = options;
  let proved: SandboxKind | null = null;
  const groundFor = (kind: SandboxKind, names: readonly string[]): SandboxGround => ({
    ...options.ground,
    record: options.record,
    kind,
    declared: declaredIn(options.env, names),
  });
  const kind = async (): Promise<SandboxKind> => {
    if (options.sandbox === "off") return "off";
    if (proved !== null) return proved;
    const possible = await sandboxKinds();
    if (possible.kind === "none") throw new Error(possible.why);
    return possible.kinds[0];
  };
  return {
    impossible: async () => {
      const possible = options.sandbox === "off" || proved !== null ? null : await sandboxKinds();
      return possible?.kind === "none" ? refusal(possible.why, options.offSwitch) : null;
    },
    setup: async (dirs, commands, { names, signal }) => {
      const ground = groundFor(await kind(), names);
      const place = { workspace: dirs.base, home: dirs.home, scratch };
      return runSetup({ ...ground, ...place }, commands, { minutes: setupMinutes, signal });
    },
    place: () => placeIn(scratch),
    open: async (dirs, { names, signal }) => {
      const place = { workspace: dirs.work, home: dirs.workHome, scratch };
      const opened = await openPlace(place, groundFor("off", names), { ...options, signal });
      if (opened.kind === "unsound") return { kind: "refused", why: refusal(opened.why, options.offSwitch) };
      for (const note of opened.notes) options.say(note);
      proved = opened.sandbox.kind;
      return { kind: "open", room: roomOf(opened.sandbox) };
    },
    checks: (dirs, workspace, { names }) => {
      const { base, home } = dirs;
      return {
        checkout: async (tree, { signal }) => {
          const ground = groundFor(await kind(), names);
          return sandboxChecks({ ground, workspace, base, home, scratch }).checkout(tree, { signal });
        },
      };
    },
  };
}

async function placeIn(scratch: string): Promise<SetupPlace> {
  const dir = await mkdtemp(path.join(scratch, "setup-"));
  const home = path.join(dir, "home");
  await mkdir(home, { mode: 0o700 });
  return { base: path.join(dir, "base"), home, [Symbol.asyncDispose]: () => removeTree(dir) };
}

type Opened =
  | { readonly kind: "sound"; readonly sandbox: Sandbox; readonly notes: readonly string[] }
  | { readonly kind: "unsound"; readonly why: string };

async function openPlace(
  place: { readonly workspace: string; readonly home: string; readonly scratch: string },
  ground: SandboxGround,
  options: Pick<RoomsOptions, "sandbox" | "scratch"> & { readonly signal: AbortSignal },
): Promise<Opened> {
  const { signal } = options;
  if (options.sandbox === "off") {
    const sandbox = await openSandbox({ ...ground, ...place, kind: "off", network: "host", tools: true });
    return { kind: "sound", sandbox, notes: [] };
  }
  const plantIn = [path.dirname(options.scratch)];
  return startSandbox({ ...ground, ...place }, { key: randomBytes(24).toString("hex"), plantIn, signal });
}

function roomOf(sandbox: Sandbox): Room {
  return {
    sandbox: sandbox.kind,
    pid: sandbox.process.pid,
    toolbox: sandboxToolbox(sandbox, { tools, commandTools: ["shell"] }),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

function refusal(why: string, offSwitch = "dangerously-disable-sandbox"): string {
  return `The sandbox does not hold on this machine: ${why}. Use a Linux runner with root, passwordless sudo or user namespaces; or set ${offSwitch}, which gives what the model runs this machine's network, files and rights.`;
}

function declaredIn(env: RoomsOptions["env"], names: readonly string[]): Record<string, string> {
  const given = names.map((name) => [name, env[name]] as const);
  return Object.fromEntries(given.filter((one): one is readonly [string, string] => one[1] !== undefined));
}

/** The directories of one run; those that others write into are made here. */
export async function makeDirs(run: string): Promise<RunDirs & { readonly scratch: string }> {
  const at = (name: string): string => path.join(run, name);
  const dirs = {
    base: at("base"),
    work: at("work"),
    home: at("home"),
    workHome: at("work-home"),
    scratch: at("scratch"),
  };
  // In the first lie the runs of this machine, in the second the checkouts of this run, under random names.
  for (const dir of [path.dirname(run), dirs.scratch]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await layApart(dir);
  }
  await mkdir(dirs.home, { recursive: true, mode: 0o700 });
  return dirs;
}
