import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { diskSessionFiles } from "../../src/adapters/disk/files.ts";
import { lockSession, readLock } from "../../src/adapters/disk/lock.ts";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { sessionFilesContract } from "../contracts/session-files.ts";

const fresh = (): Promise<string> => mkdtemp(path.join(os.tmpdir(), "baton-files-"));

describe("memory session files", () => {
  sessionFilesContract(async () => {
    const files = memorySessionFiles();
    return { files, reopen: async () => files };
  });
});

describe.each(["process", "disk"] as const)("disk session files at durability %s", (durability) => {
  sessionFilesContract(async () => {
    const dir = await fresh();
    return {
      files: await diskSessionFiles(dir, { durability }),
      reopen: () => diskSessionFiles(dir, { durability }),
    };
  });

  it("does not give back a blob whose bytes were changed", async () => {
    const dir = await fresh();
    const files = await diskSessionFiles(dir, { durability });
    const digest = await files.blobs.put(Buffer.from("payload"));
    await writeFile(path.join(dir, "blobs", digest), "Payload");
    expect(await files.blobs.get(digest)).toBeNull();
  });

  it("leaves no temporary file behind", async () => {
    const dir = await fresh();
    const files = await diskSessionFiles(dir, { durability });
    await files.replaceManifest(Buffer.from("{}"), { barrier: true });
    await files.blobs.put(Buffer.from("payload"));
    expect((await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("the lock of a session's directory", () => {
  it("is given to one holder at a time and names it", async () => {
    const dir = await fresh();
    const first = await lockSession(dir);
    expect(first.kind).toBe("locked");
    expect(await lockSession(dir)).toMatchObject({ kind: "busy", owner: { pid: process.pid } });
    if (first.kind === "locked") await first.lock[Symbol.asyncDispose]();
    expect((await lockSession(dir)).kind).toBe("locked");
  });

  it("is taken from a process that no longer lives, even when its number is in use again", async () => {
    const dir = await fresh();
    await writeFile(
      path.join(dir, "lock"),
      JSON.stringify({ owner: { pid: process.pid, startTime: "1" }, sandbox: null }),
    );
    expect((await lockSession(dir)).kind).toBe("locked");
    expect((await readLock(dir))?.owner.startTime).not.toBe("1");
  });
});
