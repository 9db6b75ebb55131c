import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readHouse } from "./tree/house.ts";
import {
  exportsWhatOthersUse,
  hasNoBarrel,
  hasNoCycle,
  hasNoDefaultExport,
  importsWhatTheMapAllows,
  isNamedPlainly,
  mapsEveryFile,
  type Rule,
  readsNoEnvironment,
  staysSmall,
} from "./tree/rules.ts";

const map = readFileSync("src/README.md", "utf8");
const house = readHouse(map);

/** What git knows or would add: the tree as it would be committed. */
const paths = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => path !== "" && existsSync(path));
const typescript = paths.filter((path) => path.endsWith(".ts"));
const read = (names: readonly string[]) => new Map(names.map((name) => [name, readFileSync(name, "utf8")]));
const sources = read(typescript.filter((path) => path.startsWith("src/")));
const tests = read(typescript.filter((path) => path.startsWith("test/") || path.startsWith("bench/")));

describe("the tree", () => {
  it.each<[string, Rule]>([
    ["imports what the map allows, and nothing imports an entry", importsWhatTheMapAllows],
    ["has no import cycle", hasNoCycle],
    ["reads the environment in adapters/actions and the entries only", readsNoEnvironment],
    ["has no file over 300 lines, and a main of at most 60", staysSmall],
    ["has no barrel", hasNoBarrel],
    ["has no default export", hasNoDefaultExport],
    ["names its files in kebab-case", isNamedPlainly],
  ])("%s", (_, rule) => {
    expect(rule(sources, house)).toEqual([]);
  });

  it("is all on the map", () => {
    expect(mapsEveryFile([...sources.keys()].sort(), map)).toEqual([]);
  });

  it("exports the values that other files use, and no others", () => {
    expect(exportsWhatOthersUse(sources, tests)).toEqual([]);
  });

  it("has tests without cycles, barrels and files over 300 lines, named alike", () => {
    const rules = [hasNoCycle, hasNoBarrel, staysSmall, isNamedPlainly];
    expect(rules.flatMap((rule) => rule(tests, house))).toEqual([]);
  });

  it("has tests that make their folders where none of them stays", () => {
    const making = [...tests].filter(([, text]) => text.includes("mkdtemp")).map(([path]) => path);
    expect(making.filter((path) => path !== "test/tree.test.ts")).toEqual(["test/kit/folder.ts"]);
  });

  it("has at its top only what belongs there", () => {
    const allowed =
      "action.yml package.json package-lock.json tsconfig.json README.md LICENSE src dist test bench examples docs " +
      ".github .ci .gitignore .gitattributes";
    const top = new Set(paths.map((path) => path.split("/")[0]));
    expect([...top].filter((name) => !allowed.split(" ").includes(name ?? ""))).toEqual([]);
  });

  it("does not tell where or with what it was written", () => {
    // In pieces, so that this file does not name them.
    const words = [
      "/work" + "/main",
      "/work" + "/shared",
      "/tmp" + "/brief",
      "Co-Authored" + "-By",
      "Generated " + "with",
    ];
    const text = paths.filter((path) => !path.startsWith("dist/") && !path.endsWith(".png"));
    const found = text.flatMap((path) => {
      const content = readFileSync(path, "utf8");
      return words.filter((word) => content.includes(word)).map((word) => `${path}: ${word}`);
    });
    expect(found).toEqual([]);
  });
});

describe("the map's table", () => {
  const inner = ["base", "session", "workspace", "command", "loop", "tools", "gate", "delivery", "app"];
  const row = (room: string) =>
    house.get(room) ?? { rooms: ["no row"], packages: [], node: [], anything: true };

  it.each(inner)("lets %s run without GitHub, Anthropic and the machine", (room) => {
    const { rooms, packages, node, anything } = row(room);
    const above = inner.slice(0, inner.indexOf(room));
    const allowedNode = { session: ["zlib"], tools: ["fs", "child_process", "worker_threads"] };
    const allowedPackages = {
      base: ["ignore"],
      tools: ["@valibot/to-json-schema"],
      gate: ["@secretlint/secretlint-rule-preset-recommend", "smol-toml"],
    };
    const beyond = (names: readonly string[], allowed: readonly string[]) =>
      names.filter((name) => !allowed.includes(name));
    const extra = <T>(table: Readonly<Record<string, readonly T[]>>) => table[room] ?? [];
    expect({
      anything,
      rooms: beyond(rooms, above),
      packages: beyond(packages, ["valibot", ...extra(allowedPackages)]),
      node: beyond(node, ["crypto", "path", ...extra(allowedNode)]),
    }).toEqual({ anything: false, rooms: [], packages: [], node: [] });
  });

  it("lets no adapter know app or another adapter", () => {
    const adapters = [...house.values()].filter(({ room }) => room.startsWith("adapters/"));
    const bad = adapters.filter(
      ({ rooms, anything }) => anything || rooms.some((name) => /^(app|adapters|any)/.test(name)),
    );
    expect(bad).toEqual([]);
    expect(adapters.length).toBeGreaterThan(5);
  });
});
