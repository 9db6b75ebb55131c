// Lock files as their tools write them, each of the same few packages.

/** A package in a lock file; `from` is a host, and the rest of the address is the format's. */
export type Locked = {
  readonly name: string;
  readonly version: string;
  readonly sum: string;
  readonly from?: string;
};

export type LockFormat = {
  readonly path: string;
  readonly write: (packages: readonly Locked[]) => string;
  /** What it fetches from usually; null where no address stands in it. */
  readonly usual: string | null;
  /** What stands before a version in it. */
  readonly prefix?: string;
};

const json = (value: unknown) => JSON.stringify(value, null, 2);
const lines = (packages: readonly Locked[], one: (locked: Locked) => string) => packages.map(one).join("\n");
const npmAddress = ({ name, version, from }: Locked) => `${from}/${name}/-/${name}-${version}.tgz`;

export const npm = "https://registry.npmjs.org";
const pypi = "https://files.pythonhosted.org";

export const lockFormats: readonly LockFormat[] = [
  {
    path: "package-lock.json",
    usual: npm,
    write: (packages) =>
      json({
        lockfileVersion: 3,
        packages: Object.fromEntries([
          ["", { name: "app", version: "1.0.0" }],
          ...packages.map((one) => [
            `node_modules/${one.name}`,
            { version: one.version, resolved: npmAddress(one), integrity: one.sum },
          ]),
        ]),
      }),
  },
  {
    path: "old/package-lock.json",
    usual: npm,
    write: (packages) =>
      json({
        lockfileVersion: 1,
        dependencies: Object.fromEntries(
          packages.map((one) => [
            one.name,
            { version: one.version, resolved: npmAddress(one), integrity: one.sum },
          ]),
        ),
      }),
  },
  {
    path: "yarn.lock",
    usual: "https://registry.yarnpkg.com",
    write: (packages) =>
      `# yarn lockfile v1\n\n\n${lines(
        packages,
        (one) =>
          `"${one.name}@^1.0.0", ${one.name}@^1.0.1:\n  version "${one.version}"\n  resolved "${npmAddress(one)}"\n  integrity ${one.sum}\n  dependencies:\n    inner "^1.0.0"\n`,
      )}`,
  },
  {
    path: "berry/yarn.lock",
    usual: null,
    write: (packages) =>
      `# made by a tool\n\n__metadata:\n  version: 8\n  cacheKey: 10c0\n\n${lines(
        packages,
        (one) =>
          `"${one.name}@npm:^1.0.0":\n  version: ${one.version}\n  resolution: "${one.name}@npm:${one.version}"\n  dependencies:\n    inner: "npm:^1.0.0"\n  checksum: ${one.sum}\n  languageName: node\n  linkType: hard\n`,
      )}`,
  },
  {
    path: "pnpm-lock.yaml",
    usual: null,
    write: (packages) =>
      `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      x:\n        specifier: ^1.0.0\n\npackages:\n\n${lines(
        packages,
        (one) =>
          `  ${one.name}@${one.version}:\n    resolution: {integrity: ${one.sum}}\n    engines: {node: '>=18'}\n`,
      )}\nsnapshots:\n\n  x@1.0.0: {}\n`,
  },
  {
    path: "six/pnpm-lock.yaml",
    usual: null,
    write: (packages) =>
      `lockfileVersion: '6.0'\n\npackages:\n\n${lines(
        packages,
        (one) =>
          `  /${one.name}@${one.version}(react@18.0.0):\n    resolution: {integrity: ${one.sum}}\n    dev: true\n`,
      )}`,
  },
  {
    path: "bun.lock",
    usual: null,
    write: (packages) =>
      `{\n  "lockfileVersion": 1,\n  "packages": {\n${lines(
        packages,
        (one) => `    "${one.name}": ["${one.name}@${one.version}", "", {}, "sha512-${one.sum}"],\n`,
      )}  }\n}\n`,
  },
  {
    path: "Cargo.lock",
    usual: "registry+https://github.com/rust-lang/crates.io-index",
    write: (packages) =>
      `version = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n\n${lines(
        packages,
        (one) =>
          `[[package]]\nname = "${one.name}"\nversion = "${one.version}"\nsource = "${one.from}"\nchecksum = "${one.sum}"\n`,
      )}`,
  },
  {
    path: "poetry.lock",
    usual: null,
    write: (packages) =>
      lines(
        packages,
        (one) =>
          `[[package]]\nname = "${one.name}"\nversion = "${one.version}"\nfiles = [\n    {file = "${one.name}.whl", hash = "sha256:${one.sum}"},\n]\n`,
      ),
  },
  {
    path: "uv.lock",
    usual: pypi,
    write: (packages) =>
      `version = 1\n\n${lines(
        packages,
        (one) =>
          `[[package]]\nname = "${one.name}"\nversion = "${one.version}"\nsource = { registry = "https://pypi.org/simple" }\nwheels = [\n    { url = "${one.from}/packages/${one.name}.whl", hash = "sha256:${one.sum}" },\n]\n`,
      )}`,
  },
  {
    path: "Pipfile.lock",
    usual: null,
    write: (packages) =>
      json({
        _meta: { sources: [{ name: "pypi", url: "https://pypi.org/simple" }] },
        default: Object.fromEntries(
          packages.map((one) => [
            one.name,
            { version: one.version, hashes: [`sha256:${one.sum}`], index: "pypi" },
          ]),
        ),
      }),
  },
  {
    path: "requirements.txt",
    usual: null,
    prefix: "==",
    write: (packages) =>
      lines(packages, (one) => `${one.name}==${one.version} \\\n    --hash=sha256:${one.sum}`),
  },
  {
    path: "go.sum",
    usual: null,
    prefix: "v",
    write: (packages) => lines(packages, (one) => `${one.name} v${one.version} h1:${one.sum}=`),
  },
  {
    path: "Gemfile.lock",
    usual: "https://rubygems.org/",
    write: (packages) =>
      `${lines(
        packages,
        (one) =>
          `GEM\n  remote: ${one.from}\n  specs:\n    ${one.name} (${one.version})\n      inner (>= 1)\n`,
      )}\nPLATFORMS\n  ruby\n\nCHECKSUMS\n${lines(
        packages,
        (one) => `  ${one.name} (${one.version}) sha256=${one.sum}`,
      )}\n\nBUNDLED WITH\n   2.5.0\n`,
  },
  {
    path: "composer.lock",
    usual: "https://api.github.com",
    write: (packages) =>
      json({
        packages: packages.map((one) => ({
          name: one.name,
          version: one.version,
          dist: { url: `${one.from}/repos/x/${one.name}/zipball/1`, shasum: one.sum },
        })),
      }),
  },
];
