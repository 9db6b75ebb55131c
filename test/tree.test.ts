import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type House, readHouse } from "./tree/house.ts";
import {
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

  it("has tests without cycles and barrels, named alike", () => {
    const rules = [hasNoCycle, hasNoBarrel, isNamedPlainly];
    expect(rules.flatMap((rule) => rule(tests, house))).toEqual([]);
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
    const allowedPackages = { base: ["ignore"], tools: ["@valibot/to-json-schema"] };
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

describe("a breach is found:", () => {
  const small: House = readHouse(
    [
      "| room | may import | packages | node |",
      "|---|---|---|---|",
      "| base | – | – | `crypto` |",
      "| session | base | `valibot` | crypto, path |",
      "| adapters/disk | base, session | – | fs |",
      "| entries | any | any | any |",
    ].join("\n"),
  );
  const legal = { "src/base/hash.ts": 'import { createHash } from "node:crypto";', "src/main.ts": "" };

  it.each<[Rule, Readonly<Record<string, string>>, string]>([
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import { b } from "../session/b.ts";', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": '\nimport type {\n  B,\n} from "../session/b.ts";', "src/session/b.ts": "" },
      "src/base/a.ts:4: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'export { b } from "../session/b.ts";', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'export type { B } from "../session/b.ts";', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'const b = await import("../session/b.ts");', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'type B = import("../session/b.ts").B;', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import "../session/b.ts";', "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": "import('../session/b.ts')", "src/session/b.ts": "" },
      "src/base/a.ts:1: base may not import session",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": "await import(name);" },
      "src/base/a.ts:1: imports what cannot be read off the source",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": "await import(`./$" + "{name}.ts`);" },
      "src/base/a.ts:1: imports what cannot be read off the source",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'require("valibot")' },
      "src/base/a.ts:1: base may not import the package valibot",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import * as v from "valibot";' },
      "src/base/a.ts:1: base may not import the package valibot",
    ],
    [
      importsWhatTheMapAllows,
      { "src/session/a.ts": 'import x from "@valibot/to-json-schema/x";' },
      "src/session/a.ts:1: session may not import the package @valibot/to-json-schema",
    ],
    [
      importsWhatTheMapAllows,
      { "src/session/a.ts": 'import { readFile } from "node:fs/promises";' },
      "src/session/a.ts:1: session may not import node:fs/promises",
    ],
    [
      importsWhatTheMapAllows,
      { "src/session/a.ts": 'import { createHash } from "crypto";' },
      "src/session/a.ts:1: session may not import the package crypto",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import { main } from "../main.ts";' },
      "src/base/a.ts:1: imports the entry main.ts, which nothing may import",
    ],
    [
      importsWhatTheMapAllows,
      { "src/post.ts": 'import { main } from "./main.ts";' },
      "src/post.ts:1: imports the entry main.ts, which nothing may import",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import { x } from "../../test/kit/x.ts";' },
      "src/base/a.ts:1: imports ../../test/kit/x.ts, which is no source file",
    ],
    [
      importsWhatTheMapAllows,
      { "src/base/a.ts": 'import { x } from "/etc/x.js";' },
      "src/base/a.ts:1: imports /etc/x.js, which is no module",
    ],
    [
      importsWhatTheMapAllows,
      { "src/helpers/a.ts": "" },
      "src/helpers/a.ts: its room helpers is not in the map",
    ],
    [importsWhatTheMapAllows, { "src/other.ts": "" }, "src/other.ts: its room other.ts is not in the map"],
    [
      importsWhatTheMapAllows,
      { "src/adapters/disk/a.ts": 'import { b } from "../git/b.ts";', "src/adapters/git/b.ts": "" },
      "src/adapters/disk/a.ts:1: adapters/disk may not import adapters/git",
    ],
    [
      hasNoCycle,
      {
        "src/base/a.ts": 'import "./b.ts";',
        "src/base/b.ts": 'import "./c.ts";',
        "src/base/c.ts": 'import type { A } from "./a.ts";',
      },
      "import cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts",
    ],
    [hasNoCycle, { "src/base/a.ts": 'import "./a.ts";' }, "import cycle: src/base/a.ts → src/base/a.ts"],
    [
      readsNoEnvironment,
      { "src/base/a.ts": 'const a = process.env["A"];' },
      "src/base/a.ts:1: only adapters/actions and the entries read process.env",
    ],
    [
      readsNoEnvironment,
      { "src/base/a.ts": "const { env } = process;" },
      "src/base/a.ts:1: only adapters/actions and the entries read process.env",
    ],
    [
      readsNoEnvironment,
      { "src/base/a.ts": 'process["env"]' },
      "src/base/a.ts:1: only adapters/actions and the entries read process.env",
    ],
    [
      readsNoEnvironment,
      { "src/base/a.ts": 'import { env } from "node:process";' },
      "src/base/a.ts:1: only adapters/actions and the entries read process.env",
    ],
    [
      staysSmall,
      { "src/base/a.ts": "\n".repeat(301) },
      "src/base/a.ts has 301 lines; at most 300 are allowed",
    ],
    [staysSmall, { "src/main.ts": "\n".repeat(61) }, "src/main.ts has 61 lines; at most 60 are allowed"],
    [hasNoBarrel, { "src/base/index.ts": "" }, "src/base/index.ts: a file is named for what is in it"],
    [
      hasNoBarrel,
      { "src/base/all.ts": 'export * from "./hash.ts";' },
      "src/base/all.ts:1: exports all of another file",
    ],
    [
      hasNoDefaultExport,
      { "src/base/a.ts": "export default function a() {}" },
      "src/base/a.ts:1: has a default export",
    ],
    [
      hasNoDefaultExport,
      { "src/base/a.ts": "export { a as default };" },
      "src/base/a.ts:1: has a default export",
    ],
    [isNamedPlainly, { "src/base/fileNames.ts": "" }, "src/base/fileNames.ts: is not kebab-case"],
    [isNamedPlainly, { "src/Base/names.ts": "" }, "src/Base/names.ts: is not kebab-case"],
  ])("%o in %o", (rule, files, finding) => {
    const legalFindings = rule(new Map(Object.entries(legal)), small);
    expect({
      legalFindings,
      findings: rule(new Map(Object.entries({ ...legal, ...files })), small),
    }).toMatchObject({
      legalFindings: [],
      findings: expect.arrayContaining([finding]),
    });
  });

  it("an import in a line of comment is none", () => {
    const source = '// import { b } from "valibot";\n/** import("x") */\n * from "y"\n';
    expect(importsWhatTheMapAllows(new Map([["src/base/a.ts", source]]), small)).toEqual([]);
  });

  it("a file that the map does not name, and a name without a file", () => {
    const text = "```\nsrc/\n  main.ts   the entry\n  base/     leaves\n    hash.ts   digests\n```\n";
    expect(mapsEveryFile(["src/main.ts", "src/base/clock.ts"], text)).toEqual([
      "the map does not name src/base/clock.ts",
      "the map names src/base/hash.ts, which is gone",
    ]);
  });

  it.each([
    ["no table", "the map has no table"],
    ["| room | may import | packages | node |\n|---|---|---|---|\n| base | – |", "a row of another shape"],
    [
      "| room | may import | packages | node |\n|---|---|---|---|\n| a | – | – | – |\n| a | any | – | – |",
      "two rows for a",
    ],
  ])("a map without a whole table: %j", (text, why) => {
    expect(() => readHouse(text)).toThrow(why);
  });
});
