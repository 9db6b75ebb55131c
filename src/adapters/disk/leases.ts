import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunRef } from "../../session/event.ts";
import type { Claimed, Lease, Leases } from "../../session/leases.ts";

export type DiskLeasesOptions = {
  readonly dir: string;
  /** Whether the process that a run stands for still runs; on one machine that is a question to the kernel. */
  readonly isAlive: (run: RunRef) => boolean;
};

/**
 * Leases as files, `<dir>/<session>/<gen>.json`. A claim writes the whole file aside and links it to its name, which
 * succeeds for one of any number of claims and never shows half a lease.
 */
export function diskLeases({ dir, isAlive }: DiskLeasesOptions): Leases {
  return {
    claim: async (lease) => claim(join(dir, lease.session), lease),
    holders: async (session) => {
      const leases: Lease[] = [];
      for (const gen of await gensIn(join(dir, session)))
        leases.push(await leaseAt(join(dir, session, `${gen}.json`)));
      return leases;
    },
    alive: async (run) => (isAlive(run) ? "running" : "gone"),
    release: async (session, { from, to }) => {
      for (const gen of await gensIn(join(dir, session)))
        if (gen >= from && gen <= to) await rm(join(dir, session, `${gen}.json`), { force: true });
    },
  };
}

async function claim(folder: string, lease: Lease): Promise<Claimed> {
  try {
    await mkdir(folder, { recursive: true });
    const aside = await mkdtemp(join(folder, "claim-"));
    try {
      await writeFile(join(aside, "lease"), JSON.stringify(lease), { mode: 0o600, flush: true });
      await link(join(aside, "lease"), join(folder, `${lease.gen}.json`));
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    return { kind: "claimed" };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "EEXIST") return { kind: "lost" };
    return { kind: "unavailable", why: `cannot write a lease in ${folder}: ${code}` };
  }
}

/** Oldest first. */
async function gensIn(folder: string): Promise<readonly number[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new Error(`cannot list the leases in ${folder}`, { cause: error });
  }
  return names
    .flatMap((name) => /^([1-9]\d{0,8})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function leaseAt(path: string): Promise<Lease> {
  try {
    // Written by `claim` on this machine and linked whole, so it is a lease or the disk lies.
    return JSON.parse(await readFile(path, "utf8")) as Lease;
  } catch (cause) {
    throw new Error(`cannot read the lease ${path}`, { cause });
  }
}
