import { expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import type { SessionFiles } from "../../src/session/files.ts";

/** What every adapter of the port `SessionFiles` has to do. `reopen` is what a later process would find. */
export function sessionFilesContract(
  make: () => Promise<{ files: SessionFiles; reopen: () => Promise<SessionFiles> }>,
): void {
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
}
