import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { diskSessionFiles } from "../../src/adapters/disk/files.ts";
import { lockSession, readLock } from "../../src/adapters/disk/lock.ts";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { sessionFilesContract } from "../contracts/session-files.ts";
import { ownLimit, setOwnLimit } from "../kit/disk/own-limit.ts";
import { newFolder } from "../kit/folder.ts";

const fresh = (): string => newFolder("files");

// The signal's own action would end the process; what is wanted is the error of the write.
process.on("SIGXFSZ", () => undefined);

/** A write over the bound is short, and the next one fails. */
function boundOwnFiles(bytes: number): Disposable {
  const usual = ownLimit("fsize");
  setOwnLimit("fsize", String(bytes));
  return { [Symbol.dispose]: () => setOwnLimit("fsize", usual) };
}

describe("memory session files", () => {
  sessionFilesContract(async () => {
    const files = memorySessionFiles();
    const bound = (room: number): Disposable => {
      files.state.room = room;
      return { [Symbol.dispose]: () => delete files.state.room };
    };
    return { files, reopen: async () => files, bound };
  });
});

describe.each(["process", "disk"] as const)("disk session files at durability %s", (durability) => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const files of opened.splice(0)) await files[Symbol.asyncDispose]();
  });
  const openAt = async (dir: string) => {
    const files = await diskSessionFiles(dir, { durability });
    opened.push(files);
    return files;
  };

  sessionFilesContract(async () => {
    const dir = fresh();
    return { files: await openAt(dir), reopen: () => openAt(dir), bound: boundOwnFiles };
  });

  it("does not give back a blob whose bytes were changed", async () => {
    const dir = fresh();
    const files = await openAt(dir);
    const digest = await files.blobs.put(Buffer.from("payload"));
    await writeFile(path.join(dir, "blobs", digest), "Payload");
    expect(await files.blobs.get(digest)).toBeNull();
  });

  it("leaves no temporary file behind (F72)", async () => {
    const dir = fresh();
    const files = await openAt(dir);
    await files.replaceManifest(Buffer.from("{}"), { barrier: true });
    await files.blobs.put(Buffer.from("payload"));
    expect((await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("the lock of a session's directory", () => {
  it("is given to one holder at a time and names it", async () => {
    const dir = fresh();
    const first = await lockSession(dir);
    expect(first.kind).toBe("locked");
    expect(await lockSession(dir)).toMatchObject({ kind: "busy", owner: { pid: process.pid } });
    if (first.kind === "locked") await first.lock[Symbol.asyncDispose]();
    expect((await lockSession(dir)).kind).toBe("locked");
  });

  it("names every sandbox while it lives, and nothing once it is free", async () => {
    const dir = fresh();
    const taken = await lockSession(dir);
    if (taken.kind === "busy") throw new Error("nobody else knows of this directory");
    const [one, other] = ["1", "2"].map((startTime) => ({ pid: 40_000, startTime }));
    if (one === undefined || other === undefined) throw new Error("there are two of them");
    const [first, second] = await Promise.all([taken.lock.name(one), taken.lock.name(other)]);
    expect((await readLock(dir))?.sandboxes).toEqual([one, other]);
    await first[Symbol.asyncDispose]();
    expect((await readLock(dir))?.sandboxes).toEqual([other]);
    await taken.lock[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    expect(await readdir(dir)).toEqual([]);
  });

  it("is given to one of two that take it from a dead process at the same time", async () => {
    for (let round = 0; round < 20; round += 1) {
      const dir = fresh();
      const gone = { owner: { pid: process.pid, startTime: "1" }, sandboxes: [] };
      await writeFile(path.join(dir, "lock"), JSON.stringify(gone));
      const taken = await Promise.all([lockSession(dir), lockSession(dir), lockSession(dir)]);
      expect(taken.map(({ kind }) => kind).sort()).toEqual(["busy", "busy", "locked"]);
      expect(await readdir(dir)).toEqual(["lock"]);
    }
  });

  it("is taken from a process that has ended and that its parent has not asked for", async () => {
    // The shell becomes a program that never waits for its child, which ends once that has happened.
    const parent = spawn("sh", ["-c", "sh -c 'read -r _' <&3 & echo $!; exec sleep 600"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    try {
      const [said] = parent.stdout === null ? [] : await once(parent.stdout, "data");
      const pid = Number(String(said));
      const name = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8");
      await expect.poll(name, { timeout: 30_000 }).toBe("sleep\n");
      parent.stdio[3]?.destroy();
      const stat = () => readFileSync(`/proc/${pid}/stat`, "utf8");
      await expect.poll(stat, { timeout: 30_000 }).toContain(") Z ");
      const startTime = stat().split(") ")[1]?.split(" ")[19];
      const dir = fresh();
      await writeFile(path.join(dir, "lock"), JSON.stringify({ owner: { pid, startTime }, sandboxes: [] }));
      expect((await lockSession(dir)).kind).toBe("locked");
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("is taken from a process that no longer lives, even when its number is in use again", async () => {
    const dir = fresh();
    await writeFile(
      path.join(dir, "lock"),
      JSON.stringify({ owner: { pid: process.pid, startTime: "1" }, sandboxes: [] }),
    );
    expect((await lockSession(dir)).kind).toBe("locked");
    expect((await readLock(dir))?.owner.startTime).not.toBe("1");
  });
});
