import { describe, expect, it } from "vitest";
import { dependencyList } from "../../../src/delivery/dependencies.ts";
import {
  changedDependencies,
  type DependencyFile,
  howItChanged,
} from "../../../src/gate/dependencies/dependencies.ts";

async function changed(path: string, before: string | null, after: string | null): Promise<DependencyFile> {
  const read = (text: string | null) => async () => (text === null ? null : Buffer.from(text));
  const [file] = await changedDependencies([path], { before: read(before), after: read(after) });
  if (file === undefined) throw new Error("nothing was read");
  return file;
}

const json = (value: object) => JSON.stringify(value);

/** Path, before, after, and what is said of each package. */
const rows: readonly (readonly [string, string | null, string | null, readonly string[]])[] = [
  [
    "app/package.json",
    json({ dependencies: { a: "^1.0.0", gone: "2" }, devDependencies: { t: "3" } }),
    json({ dependencies: { a: "^2.0.0", fresh: "1.2.3" }, devDependencies: { t: "3", u: "*" } }),
    ["fresh: added, 1.2.3", "u (devDependencies): added, *", "a: ^1.0.0 → ^2.0.0", "gone: removed"],
  ],
  ["package.json", null, json({ dependencies: { a: "1" } }), ["a: added, 1"]],
  ["package.json", json({ overrides: {} }), json({ overrides: { a: "1" } }), []],
  [
    "package-lock.json",
    json({ packages: { "": { version: "1.0.0" }, "node_modules/a": { version: "1.0.0" } } }),
    json({
      packages: {
        "": { version: "1.0.1" },
        "node_modules/a": { version: "1.0.1" },
        "node_modules/a/node_modules/b": { version: "2.0.0" },
      },
    }),
    ["a/node_modules/b: added, 2.0.0", "a: 1.0.0 → 1.0.1"],
  ],
  [
    "requirements-dev.txt",
    "# tools\nflask==1.0  # web\nrequests\n",
    "-r base.txt\nflask[async]==1.0\nrequests>=2; python_version > '3'\n",
    [
      "-r base.txt: added",
      "flask[async]: added, ==1.0",
      "flask: removed",
      "requests: no version → >=2; python_version &#62; &#39;3&#39;",
    ],
  ],
  [
    "go.mod",
    "module m\ngo 1.22\nrequire a.example/x v1.0.0\n",
    "module m\n\nrequire (\n\ta.example/x v1.1.0 // indirect\n\tb.example/y v0.1.0\n)\nreplace a.example/x => ../x\n",
    ["a.example/x (replace): added, ../x", "b.example/y: added, v0.1.0", "a.example/x: v1.0.0 → v1.1.0"],
  ],
  [
    "Cargo.toml",
    '[package]\nversion = "1.0.0"\n[dependencies]\nserde = "1.0"\n[dev-dependencies]\nold = "1"\n',
    '[package]\nversion = "1.0.1"\n[dependencies]\nserde = { version = "2", features = ["derive"] } # why\n[target.\'cfg(unix)\'.dependencies]\nnix = "0.29"\n[dependencies.tokio]\nversion = "1"\ngit = "https://g.example"\n',
    [
      "nix: added, 0.29",
      "tokio: added, version 1, git https://g.example",
      "old: removed",
      "serde: 1.0 → version 2, features derive",
    ],
  ],
  [
    "Pipfile",
    '[packages]\nflask = "*"\n',
    '[packages]\nflask = {version = "==2", index = "other"}\n[dev-packages]\npytest = "*"\n',
    ["pytest: added, *", "flask: * → version ==2, index other"],
  ],
  [
    "Gemfile",
    "source 'https://rubygems.org'\ngem 'rails', '~> 7.0'\n",
    "source 'https://gems.example'\ngem 'rails', '~> 7.1' # why\ngem \"evil\", git: \"https://g.example/e\"\n",
    [
      "evil: added, git: https://g.example/e",
      "source https://gems.example: added",
      "rails: ~> 7.0 → ~> 7.1",
      "source https://rubygems.org: removed",
    ],
  ],
  [
    "composer.json",
    json({ require: { "a/a": "^1" } }),
    json({ require: { "a/a": "^2" }, "require-dev": { "b/b": "*" } }),
    ["b/b: added, *", "a/a: ^1 → ^2"],
  ],
  [
    "gradle/libs.versions.toml",
    '[versions]\nkotlin = "1"\n',
    '[versions]\nkotlin = "2"\n[libraries]\nevil = { module = "e:e", version.ref = "kotlin" }\n',
    ["evil: added, module e:e, version ref kotlin", "kotlin: 1 → 2"],
  ],
  [
    ".npmrc",
    "save-exact=true\n//r.example/:_authToken=one\n",
    "save-exact=true\nregistry=https://r.example/\n//r.example/:_authToken=two\n",
    ["registry: added, https://r.example/"],
  ],
  [
    "gradle.lockfile",
    "# made by a tool\na.b:c:1.0=compileClasspath\nempty=\n",
    "# made by a tool\na.b:c:1.1=compileClasspath\nempty=\n",
    ["a.b:c: 1.0 → 1.1"],
  ],
  [
    "packages.lock.json",
    json({ version: 1, dependencies: { net9: { A: { resolved: "1.0.0", contentHash: "x" } } } }),
    json({ version: 1, dependencies: { net9: { A: { resolved: "1.1.0", contentHash: "y" } } } }),
    ["A: 1.0.0 → 1.1.0"],
  ],
  [
    "pyproject.toml",
    '[project]\nname = "x"\ndependencies = ["flask>=1"]\n',
    '[project]\nname = "x"\ndependencies = [\n  "flask>=2",\n  "evil",\n]\n[tool.poetry.dependencies]\npython = "^3.12"\n[dependency-groups]\ndev = ["pytest==8"]\n',
    ["evil: added", "pytest: added, ==8", "python: added, ^3.12", "flask: >=1 → >=2"],
  ],
];

describe("what a change does to what is installed", () => {
  it.each(rows)("is told of %s", async (path, before, after, expected) => {
    const file = await changed(path, before, after);
    expect(file.how).not.toBeNull();
    const told = file.packages.map((one) => `${one.name}: ${howItChanged(one)}`);
    expect(told).toEqual(expected.map((line) => line.replaceAll("&#62;", ">").replaceAll("&#39;", "'")));
  });

  it.each([
    ["pom.xml", "<a/>", "<b/>"],
    ["build.gradle", "a", "b"],
    ["x.gemspec", "a", "b"],
  ])("is told of %s as far as that it changed", async (path, before, after) => {
    const file = await changed(path, before, after);
    expect(file).toEqual({ path, as: "", how: null, packages: [], origins: [] });
    expect(dependencyList([file])).toContain(`<code>${path}</code> changed; its packages are not read.`);
  });

  it.each([
    ["package.json", "{", "{}", "a manifest of npm"],
    ["package-lock.json", "{}", '{"lockfileVersion": 1}', "a lock file of npm"],
    ["yarn.lock", "", "<<<<<<< HEAD\n", "a lock file of Yarn"],
    ["Cargo.toml", "", "[[[", "a manifest of Cargo"],
    ["go.sum", "", `${"x".repeat(8_000_001)}`, "checksums of Go modules"],
  ])("says of %s that nobody can read it", async (path, before, after, as) => {
    const file = await changed(path, before, after);
    expect(file).toEqual({ path, as, how: null, packages: [], origins: [] });
    expect(dependencyList([file])).toContain(`<code>${path}</code> changed, and is not readable as ${as}`);
  });

  it("stands in the pull request, where no name or version can be more than text", async () => {
    const after = json({
      dependencies: { "@evil/x": "https://e.example/![i](x)", [`${"n".repeat(300)}`]: "1" },
    });
    const text = dependencyList([
      await changed("package.json", "{}", after),
      await changed("go.mod", "", "go 2"),
    ]);
    expect(text).toMatch(/^### Dependencies\n\n/);
    expect(text).toContain("<code>@&#8203;evil/x</code>: added, https:&#8203;//e.example/");
    expect(text).not.toContain("![");
    expect(text).not.toContain("n".repeat(80));
    expect(text).toContain("<code>go.mod</code> changed, and no package in it.");
  });

  it("is cut where it is long, and says so", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, "1"]));
    const file = await changed("package.json", "{}", json({ dependencies: many }));
    const text = dependencyList(Array.from({ length: 30 }, () => file));
    expect(text).toContain("- and 40 more");
    expect(text).toContain("And 20 more files.");
    expect(dependencyList([])).toBe("");
  });

  it("names what is installed at the root before what lies deep", async () => {
    const deep = await changed("a/b/package.json", "{}", json({ dependencies: { deep: "1" } }));
    const root = await changed("package.json", "{}", json({ dependencies: { root: "1" } }));
    const text = dependencyList([...Array.from({ length: 20 }, () => deep), root]);
    expect(text).toContain("<code>root</code>: added");
    expect(text).toContain("And 11 more files.");
  });
});
