import { describe, expect, it } from "vitest";
import { dependencyList } from "../../../src/delivery/dependencies.ts";
import {
  changedDependencies,
  type DependencyFile,
  howItChanged,
} from "../../../src/gate/dependencies/dependencies.ts";
import { lockFormats as formats, type Locked, type LockFormat, npm } from "./given-lock-files.ts";

const json = (value: unknown) => JSON.stringify(value);

async function changed(
  { path, usual, write }: LockFormat,
  before: readonly Locked[],
  after: readonly Locked[],
): Promise<DependencyFile> {
  const text = (packages: readonly Locked[]) =>
    Buffer.from(write(packages.map((one) => ({ from: usual ?? "", ...one }))));
  const contents = { before: async () => text(before), after: async () => text(after) };
  const [file] = await changedDependencies([path], contents);
  if (file === undefined) throw new Error("nothing was read");
  return file;
}

const told = ({ packages }: DependencyFile) => packages.map((one) => `${one.name}: ${howItChanged(one)}`);
const looks = ({ origins }: DependencyFile) => origins.map(({ name, kind }) => `${name}: ${kind}`);

const kept = { name: "kept", version: "1.0.0", sum: "sumKept" };
const gone = { name: "gone", version: "2.0.0", sum: "sumGone" };
const old = { name: "moved", version: "1.2.3", sum: "sumOld" };
const fresh = { name: "fresh", version: "0.1.0", sum: "sumFresh" };

const checked = formats.map((format) => [format.path, format] as const);
const placed = checked.filter(([, { usual }]) => usual !== null);
const evil = "https://evil.example";

describe("a changed lock file", () => {
  it.each(checked)("is told package by package: %s", async (_, format) => {
    const file = await changed(
      format,
      [kept, gone, old],
      [kept, { ...old, version: "1.3.0", sum: "n" }, fresh],
    );
    const v = format.prefix ?? "";
    expect(told(file)).toEqual([`fresh: added, ${v}0.1.0`, "gone: removed", `moved: ${v}1.2.3 → ${v}1.3.0`]);
    expect(looks(file)).toEqual([]);
  });

  it.each(checked)("is looked at where a version stays and its contents do not: %s", async (_, format) => {
    const file = await changed(format, [kept, old], [kept, { ...old, sum: "sumOther" }]);
    expect([told(file), looks(file)]).toEqual([[], ["moved: contents"]]);
  });

  it.each(placed)("is looked at where something comes from another place: %s", async (path, format) => {
    const from = path === "Cargo.lock" ? `registry+${evil}/index` : evil;
    const same = await changed(format, [kept, old], [kept, { ...old, from }]);
    // The file's name in uv.lock holds the address, so the checksum of that file is another.
    expect(looks(same)).toEqual([path === "uv.lock" ? "moved: contents" : "moved: address"]);
    const added = await changed(format, [kept], [kept, { ...fresh, from }]);
    expect([told(added).length, looks(added)]).toEqual([1, ["fresh: place"]]);
    // Where the file fetched from there before, one more is nothing new.
    expect(
      looks(
        await changed(
          format,
          [{ ...kept, from }],
          [
            { ...kept, from },
            { ...fresh, from },
          ],
        ),
      ),
    ).toEqual([]);
  });

  it("is looked at where a checksum is gone", async () => {
    const write = (integrity?: string) =>
      Buffer.from(json({ packages: { "node_modules/a": { version: "1.0.0", integrity } } }));
    const contents = { before: async () => write("sha512-x"), after: async () => write() };
    const files = await changedDependencies(["package-lock.json"], contents);
    expect(files.flatMap(looks)).toEqual(["a: unchecked"]);
    expect(dependencyList(files)).toContain("<code>a</code>: 1.0.0 as before, and its checksum is gone");
  });

  it("is looked at where a name stands for the package of another", async () => {
    const entry = (name: string) => ({ version: "1.0.0", resolved: `${npm}/${name}/-/x-1.0.0.tgz` });
    const packages = {
      "node_modules/@a/b": entry("@a%2fb"),
      "node_modules/c/node_modules/d": entry("d"),
      "node_modules/react": entry("raect"),
      "node_modules/known": { ...entry("other"), name: "other" },
    };
    const contents = { before: async () => null, after: async () => Buffer.from(json({ packages })) };
    const files = await changedDependencies(["package-lock.json"], contents);
    expect(files.flatMap(looks)).toEqual(["react: other-package"]);
    expect(files.flatMap(told)).toContain("known: added, npm:other@1.0.0");
    const yarn = `"known@npm:other@^1.0.0":\n  version "1.0.0"\n  resolved "${npm}/other/-/other-1.0.0.tgz"\n`;
    const read = { before: async () => null, after: async () => Buffer.from(yarn) };
    expect((await changedDependencies(["yarn.lock"], read)).flatMap(looks)).toEqual([]);
  });

  it("is not looked at where more files of a version were published", async () => {
    const write = (files: readonly string[]) =>
      Buffer.from(
        `[[package]]\nname = "a"\nversion = "1"\nfiles = [${files.map((file) => `{file = "${file}", hash = "sha256:${file}"}`).join(", ")}]\n`,
      );
    const contents = { before: async () => write(["a"]), after: async () => write(["a", "b"]) };
    const files = await changedDependencies(["poetry.lock"], contents);
    expect(files.flatMap(looks)).toEqual([]);
  });

  it("keeps several versions of one name apart", async () => {
    const cargo = formats.find(({ path }) => path === "Cargo.lock");
    if (cargo === undefined) throw new Error("no such format");
    const other = { ...kept, version: "2.0.0", sum: "two" };
    expect(told(await changed(cargo, [kept], [kept, other]))).toEqual(["kept: 1.0.0 → 1.0.0, 2.0.0"]);
    expect(looks(await changed(cargo, [kept, other], [kept, { ...other, sum: "three" }]))).toEqual([
      "kept: contents",
    ]);
  });

  it("is read in time that grows with its length alone, as are manifests", async () => {
    const names = [
      ...checked.map(([path]) => path),
      "go.mod",
      "Gemfile",
      ".npmrc",
      "package.json",
      "Cargo.toml",
    ];
    const starts = [
      "",
      "gem ",
      'gem "a',
      "require a",
      "replace a",
      "  a",
      "    a: ",
      "a --hash=",
      "  remote: ",
      '"a@',
      "[a",
      "a =",
    ];
    const hard = [" ", "\t", "a ", "@", '"', "=", "(", "- ", "[", "{", "--hash= ", "sha1-"];
    const text = starts.flatMap((start) => hard.map((one) => `${start}${one.repeat(20_000)}x\n`)).join("");
    const contents = { before: async () => null, after: async () => Buffer.from(text) };
    expect((await changedDependencies(names, contents)).map(({ path }) => path)).toEqual(names);
  });

  const byLine = checked.filter(([path]) => /yarn|pnpm|bun|go\.sum|Gemfile/.test(path));
  it.each(byLine)("cannot hide an entry by writing it in another way: %s", async (path, format) => {
    const text = format.write([{ ...kept, from: format.usual ?? "" }]);
    const odd = path === "bun.lock" ? text.replace(/^ {4}"/m, '  "') : text.replace("kept", "{? kept");
    const contents = { before: async () => Buffer.from(text), after: async () => Buffer.from(odd) };
    const [file] = await changedDependencies([path], contents);
    expect(file?.how === null || file?.packages.length !== 0).toBe(true);
  });
});
