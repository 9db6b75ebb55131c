// Hands the evidence to the independent program and reads its answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { LocalGitHub } from "../kit/github/local-github.ts";

export type Evidence = {
  readonly github: LocalGitHub;
  readonly base: string;
  readonly branch: string | null;
  readonly check: string;
  readonly modules: string;
  readonly secret: string;
  readonly runs: readonly [number, number];
  readonly killedAt: number;
  readonly journal: string;
  /** False when the model is not scripted: its commands do not write to the journal. */
  readonly journalled: boolean;
  /** An empty folder to work in. */
  readonly work: string;
  /** Where the session's files are left. */
  readonly session: string;
};

export type Findings = {
  /** 0 when everything holds. */
  readonly exit: number;
  readonly callsSettledBefore: number;
  readonly callsCounted: number;
  readonly callsRepeated: number;
  readonly treeBeforeKill: string | null;
  readonly treeAfterResume: string | null;
  readonly treeRestored: boolean;
  /** The files in which the last tree that left the first machine differs from the base. */
  readonly changedBefore: readonly string[];
  /** Null when there is no branch. */
  readonly baseGreen: boolean | null;
  readonly redOnBase: boolean;
  readonly greenOnBranch: boolean;
  /** Of the check on the branch. */
  readonly assertions?: number;
  /** The tests that the branch changes. */
  readonly tests: readonly string[];
  readonly gate: readonly {
    readonly round: number;
    readonly verdict: "passed" | "failed";
    readonly at: number;
  }[];
  readonly gateRounds: number;
  readonly gateMatchesBranch: boolean;
  readonly logContinued: boolean;
};

/** Throws with what the program said when it gives no answer. */
export async function audit(evidence: Evidence): Promise<Findings> {
  const { github, work, ...rest } = evidence;
  const folders = { artifacts: join(work, "artifacts"), work: join(work, "work") };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const artifacts: string[] = [];
  for (const { name } of github.artifacts.list()) {
    const file = join(folders.artifacts, name);
    writeFileSync(file, await github.artifacts.read(name));
    artifacts.push(file);
  }
  const { owner, name, id } = github.repository;
  const request = join(work, "request.json");
  const git = `${github.url}/${owner}/${name}.git`;
  writeFileSync(
    request,
    JSON.stringify({ ...rest, git, artifacts, repositoryId: id, work: folders.work }, null, 2),
  );
  const program = join(import.meta.dirname, "audit.mjs");
  const child = spawn(process.execPath, [program, request], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit] = (await closed) as [number | null];
  const last = said.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`the audit gave no answer (exit ${exit}): ${complained}`);
  return { ...(JSON.parse(last) as Omit<Findings, "exit">), exit: exit ?? 1 };
}
