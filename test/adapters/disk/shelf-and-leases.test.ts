import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskLeases } from "../../../src/adapters/disk/leases.ts";
import { diskShelf } from "../../../src/adapters/disk/shelf.ts";
import { leasesContract } from "../../contracts/leases.ts";
import { shelfContract } from "../../contracts/shelf.ts";
import { newFolder } from "../../kit/folder.ts";

async function folder() {
  const dir = newFolder("disk");
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

describe("the disk shelf", () => {
  shelfContract(async () => {
    const place = await folder();
    return { ...place, shelf: (run) => diskShelf({ dir: place.dir, run }), runId: (run) => run };
  });

  it("does not show a file that a killed run left unfinished, and does not give its name away", async () => {
    await using place = await folder();
    const { signal } = new AbortController();
    const shelf = diskShelf({ dir: place.dir, run: "one" });
    await shelf.put("agent-session-s0123456789ab-1-1-1.1", Buffer.from("whole"), { signal });
    const name = "agent-session-s0123456789ab-1-2-1.1";
    await writeFile(join(place.dir, "one", `${name}.unfinished`), "ha");
    expect(await shelf.list("s0123456789ab", { runs: ["one"], signal })).toHaveLength(1);
    expect(await shelf.put(name, Buffer.from("half"), { signal })).toEqual({ kind: "taken" });
  });
});

describe("disk leases", () => {
  leasesContract(async () => {
    const place = await folder();
    const over = { id: "1", attempt: 1, job: "agent" };
    return {
      ...place,
      leases: () => diskLeases({ dir: place.dir, isAlive: (run) => run.id !== over.id }),
      running: { id: "2", attempt: 1, job: "agent" },
      over,
    };
  });

  it("leaves nothing behind but the leases", async () => {
    await using place = await folder();
    const { signal } = new AbortController();
    const leases = diskLeases({ dir: place.dir, isAlive: () => true });
    const lease = {
      session: "s0123456789ab" as never,
      gen: 1,
      run: { id: "1", attempt: 1, job: "agent" },
      head: null,
    };
    await leases.claim(lease, { signal });
    await leases.claim(lease, { signal });
    expect(await readdir(join(place.dir, "s0123456789ab"))).toEqual(["1.json"]);
  });
});
