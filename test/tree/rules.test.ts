import { describe, expect, it } from "vitest";
import { type House, readHouse } from "./house.ts";
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
} from "./rules.ts";

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
      { "src/base/a.ts": 'import { c } from "./b/c.ts";', "src/base/b/c.ts": "" },
      "src/base/a.ts:1: base may not import its own folder src/base/b",
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

  it("a value that is exported and used in its own file only, but no type and none that a test uses", () => {
    const source = "export const one = 1;\nexport function b() {\n  return one;\n}\nexport type C = 1;\n";
    const tests = new Map([["test/a.test.ts", 'import { b } from "../src/a.ts";']]);
    expect(exportsWhatOthersUse(new Map([["src/a.ts", source]]), tests)).toEqual([
      "src/a.ts: exports one, which no other file uses",
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
