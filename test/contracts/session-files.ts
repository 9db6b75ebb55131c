import { expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import type { SessionFiles } from "../../src/session/files.ts";

export type SessionFilesWorld = {
  readonly files: SessionFiles;
  /** What a later process would find. */
  readonly reopen: () => Promise<SessionFiles>;
  /** Until it is disposed no file takes more bytes than that: a write that reaches over it is refused. */
  readonly bound: (bytes: number) => Disposable;
};

/** What every adapter of the port `SessionFiles` has to do, and where its disk is full. */
export function sessionFilesContract(make: () => Promise<SessionFilesWorld>): void {
  const bytes = (text: string): Uint8Array => Buffer.from(text);
  const barrier = { barrier: true };

  it("has no manifest and an empty log at first", async () => {
    const { files } = await make();
    const found = await files.read();
    expect([found.manifest, found.log.length]).toEqual([null, 0]);
  });

  it("keeps lines in the order they were appended, and the last manifest, for a later process", async () => {
    const { files, reopen } = await make();
    await files.append(bytes("one\n"), barrier);
    await files.replaceManifest(bytes("first"), barrier);
    await files.append(bytes("two\n"), { barrier: false });
    await files.replaceManifest(bytes("second"), barrier);
    const found = await (await reopen()).read();
    expect(String(found.log)).toBe("one\ntwo\n");
    expect(String(found.manifest)).toBe("second");
  });

  it("cuts the log to a length, says what it cut, and appends behind that", async () => {
    const { files, reopen } = await make();
    await files.append(bytes("one\n"), barrier);
    await files.append(bytes("tor"), barrier);
    expect(await files.cut(4)).toEqual({ cutBytes: 3, sha256: digestOf("tor") });
    await files.append(bytes("two\n"), barrier);
    expect(String((await (await reopen()).read()).log)).toBe("one\ntwo\n");
  });

  it("gives a blob back by its digest, and null for one it does not have", async () => {
    const { files, reopen } = await make();
    const digest = await files.blobs.put(bytes("payload"));
    expect(digest).toBe(digestOf("payload"));
    expect(await files.blobs.put(bytes("payload"))).toBe(digest);
    expect(String(await (await reopen()).blobs.get(digest))).toBe("payload");
    expect(await files.blobs.get(digestOf("other"))).toBeNull();
  });

  it("keeps no byte of a line that was refused, and takes the next one when there is room again", async () => {
    const { files, reopen, bound } = await make();
    await files.append(bytes("one\n"), barrier);
    {
      using _ = bound(10);
      await expect(files.append(bytes("two is too long\n"), barrier)).rejects.toThrow();
      expect(String((await files.read()).log)).toBe("one\n");
      await expect(files.append(bytes("three is too\n"), { barrier: false })).rejects.toThrow();
    }
    await files.append(bytes("four\n"), barrier);
    expect(String((await (await reopen()).read()).log)).toBe("one\nfour\n");
  });

  it("keeps the old manifest whole where a new one was refused", async () => {
    const { files, reopen, bound } = await make();
    await files.replaceManifest(bytes("first"), barrier);
    await files.replaceManifest(bytes("second"), barrier);
    {
      using _ = bound(10);
      await expect(files.replaceManifest(bytes("third is too long"), barrier)).rejects.toThrow();
    }
    expect(String((await (await reopen()).read()).manifest)).toBe("second");
    await files.replaceManifest(bytes("fourth"), barrier);
    expect(String((await (await reopen()).read()).manifest)).toBe("fourth");
  });

  it("has no blob that was refused, not even a part of one", async () => {
    const { files, reopen, bound } = await make();
    {
      using _ = bound(10);
      await expect(files.blobs.put(bytes("a longer payload"))).rejects.toThrow();
    }
    expect(await (await reopen()).blobs.get(digestOf("a longer payload"))).toBeNull();
    const digest = await files.blobs.put(bytes("a longer payload"));
    expect(String(await (await reopen()).blobs.get(digest))).toBe("a longer payload");
  });

  it("cuts what is torn also after a line was refused", async () => {
    const { files, reopen, bound } = await make();
    await files.append(bytes("one\ntor"), barrier);
    {
      using _ = bound(10);
      await expect(files.append(bytes("n and more\n"), barrier)).rejects.toThrow();
    }
    const later = await reopen();
    expect(await later.cut(4)).toEqual({ cutBytes: 3, sha256: digestOf("tor") });
    await later.append(bytes("two\n"), barrier);
    expect(String((await (await reopen()).read()).log)).toBe("one\ntwo\n");
  });
}
