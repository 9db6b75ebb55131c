import { expect, it } from "vitest";
import { emptyTree, encodeTree, frame } from "../../../src/adapters/git/object-format.ts";
import { fileAt } from "../../../src/adapters/git/transplanting.ts";
import type { Tree } from "../../../src/base/hash.ts";

/** Objects by id, and which of them were read. */
function givenObjects() {
  const bodies = new Map<string, { readonly type: string; readonly body: Buffer }>();
  const read: string[] = [];
  const put = (type: "blob" | "tree", body: Buffer) => {
    const { id } = frame(type, body);
    bodies.set(id, { type, body });
    return id;
  };
  const folder = (...entries: Parameters<typeof encodeTree>[0]) => put("tree", encodeTree(entries));
  const reader = {
    read: async (id: string, type: "blob" | "tree") => {
      const found = bodies.get(id);
      if (found?.type !== type) throw new Error(`there is no ${type} ${id}`);
      read.push(id);
      return { id, ...found };
    },
  };
  return { put, folder, reader, read };
}

it("reads of a tree only the folders on the way to a file, however many others there are", async () => {
  const { put, folder, reader, read } = givenObjects();
  const missing = frame("tree", Buffer.from("is nowhere")).id;
  const file = put("blob", Buffer.from("text"));
  const inner = folder({ mode: "100644", name: "a.txt", id: file });
  const root = folder(
    { mode: "40000", name: "inner", id: inner },
    { mode: "40000", name: "other", id: missing },
  ) as string as Tree;
  expect(Buffer.from((await fileAt(reader, root, "inner/a.txt")) ?? [])).toEqual(Buffer.from("text"));
  expect(read).toEqual([root, inner, file]);
  for (const path of [
    "inner",
    "inner/",
    "inner/a.txt/",
    "inner/b.txt",
    "a.txt",
    "../inner/a.txt",
    "/inner/a.txt",
    "",
  ])
    expect(await fileAt(reader, root, path)).toBeNull();
  expect(await fileAt(reader, emptyTree as Tree, "a.txt")).toBeNull();
});
