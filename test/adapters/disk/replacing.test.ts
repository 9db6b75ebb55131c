import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replacingNow } from "../../../src/adapters/disk/replacing.ts";
import { newFolder } from "../../kit/folder.ts";

let dir = "";
beforeEach(() => {
  dir = newFolder("replacing");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a file that is replaced again and again", () => {
  it("holds the last text whole, whether it is longer or shorter than those before", () => {
    const file = join(dir, "session.json");
    using manifest = replacingNow(file);
    for (const length of [10, 4096, 1, 700, 700, 0, 3]) {
      manifest.replace(Buffer.alloc(length, String(length % 10)));
      expect(readFileSync(file, "utf8")).toBe(String(length % 10).repeat(length));
    }
  });

  it("never changes what an open reader is about to read in the turn it was opened", () => {
    const file = join(dir, "session.json");
    using manifest = replacingNow(file);
    manifest.replace(Buffer.from("one"));
    const name = join(dir, "held");
    linkSync(file, name);
    manifest.replace(Buffer.from("two"));
    expect(readFileSync(name, "utf8")).toBe("one");
  });

  it("is not written to in place after a crash that left it a second name (F72)", () => {
    const file = join(dir, "session.json");
    writeFileSync(file, "old");
    for (const spare of ["a", "b"]) linkSync(file, `${file}.${spare}.tmp`);
    const held = join(dir, "held");
    linkSync(file, held);
    using manifest = replacingNow(file);
    manifest.replace(Buffer.from("new"));
    expect([readFileSync(file, "utf8"), readFileSync(held, "utf8")]).toEqual(["new", "old"]);
  });

  it("leaves nothing beside it", () => {
    {
      using manifest = replacingNow(join(dir, "session.json"));
      for (const text of ["one", "two", "three"]) manifest.replace(Buffer.from(text));
    }
    expect(readdirSync(dir)).toEqual(["session.json"]);
  });

  it("says which file could not be written", () => {
    using manifest = replacingNow(join(dir, "missing", "session.json"));
    expect(() => manifest.replace(Buffer.from("x"))).toThrow(/missing\/session\.json/);
  });
});
