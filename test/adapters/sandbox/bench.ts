import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type SandboxKind, sandboxKinds } from "../../../src/adapters/sandbox/kind.ts";
import { openSandbox, type Sandbox, type SandboxGround } from "../../../src/adapters/sandbox/open.ts";
import { newFolder } from "../../kit/folder.ts";

const repository = resolve(import.meta.dirname, "../../..");

/** The best kind of sandbox on this machine, or null after saying what is therefore not exercised. */
export async function bestKind(): Promise<SandboxKind | null> {
  const kinds = await sandboxKinds();
  if (kinds.kind === "some") return kinds.kinds[0];
  console.log(`sandbox rules are not exercised on this machine: ${kinds.why}`);
  return null;
}

export type Bench = Disposable & {
  /** The directory of all others. */
  readonly dir: string;
  readonly workspace: string;
  readonly home: string;
  readonly scratch: string;
  /** A directory of which nothing may be seen inside. */
  readonly masked: string;
  readonly ground: SandboxGround;
};

/** Empty directories and what a sandbox of the toolhost's sources needs. */
export function makeBench(kind: SandboxKind, more: Partial<SandboxGround> = {}): Bench {
  const dir = newFolder("sandbox-bench");
  const [workspace = "", home = "", scratch = "", masked = ""] = ["work", "home", "scratch", "masked"].map(
    (name) => join(dir, name),
  );
  for (const one of [workspace, home, scratch, masked]) mkdirSync(one);
  const ground: SandboxGround = {
    kind,
    node: process.execPath,
    toolhost: { dir: repository, entry: "src/toolhost.ts" },
    path: process.env["PATH"] ?? "",
    lang: null,
    declared: {},
    masked: [masked, scratch],
    visible: [],
    ...more,
  };
  return {
    dir,
    workspace,
    home,
    scratch,
    masked,
    ground,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function openAt(
  bench: Bench,
  more: { network?: "none" | "host"; tools?: boolean } = {},
): Promise<Sandbox> {
  const { ground, workspace, home, scratch } = bench;
  return openSandbox({ ...ground, workspace, home, scratch, network: "none", tools: false, ...more });
}

export async function command(
  sandbox: Sandbox,
  text: string,
  { signal = new AbortController().signal, msMax = 60_000 }: { signal?: AbortSignal; msMax?: number } = {},
) {
  return sandbox.ask(
    { type: "command", command: text, dir: "", msMax, outputBytesMax: 30 * 1024 },
    { signal },
  );
}

/** The processes in a sandbox, seen from the host: orphans in it belong to its pid 1, so all descend from there. */
export function processesOf(outermost: number): readonly number[] {
  const parents = new Map(pids().map((pid) => [pid, Number(statOf(pid)[1])]));
  const found = [outermost];
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid);
  return found.slice(1);
}

export async function untilGone(pidsToGo: readonly number[]): Promise<void> {
  for (const pid of pidsToGo) while (isAlive(pid)) await sleep(2);
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}

export function makeFifo(path: string): void {
  execFileSync("mkfifo", ["-m", "666", path]);
}

/** What has ended but was not yet asked for by its parent cannot do anything any more. */
export function isAlive(pid: number): boolean {
  return !/^[ZX]?$/.test(statOf(pid)[0] ?? "");
}

/** The fields after the name: the state, the parent and so on. Empty when there is no such process. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
