import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/adapters/yaml/parse.ts";
import {
  changingTools,
  checksFromLines,
  commandsFromLines,
  noConfig,
  readConfig,
} from "../../src/gate/config.ts";
import { definitionsDigest } from "../../src/gate/definitions.ts";
import { tools } from "../../src/tools/all.ts";

const source = ".github/agent.yml";

function read(text: string) {
  const parsed = parseYaml(new TextEncoder().encode(text), source);
  return parsed.kind === "refused" ? parsed : readConfig(parsed, source);
}

const whole = `
env: [JAVA_HOME, GOROOT]
setup: [npm ci]
checks:
  - { name: test, run: npm test, minutes: 15, proof: true }
  - { run: npm run lint, dir: ./packages/core/, network: true }
protected: [package.json]
tamper: refuse
already-red: refuse
unproved: refuse
baseline: gate
limits: { files: 20, file-bytes: 500 }
instructions: [AGENTS.md]
approve: [shell]
budget: { turns: 60, minutes: 50, tokens: 500000, cost-usd: 5 }
`;

const refusals: readonly (readonly [string, string])[] = [
  [
    "checks:\n  - run: npm test\nchekcs: []\n",
    ":3: unknown key `chekcs`; allowed: env, setup, checks, protected, tamper, already-red, unproved, baseline, limits, instructions, approve, budget",
  ],
  [
    "checks:\n  - run: npm test\n    minuets: 5\n",
    ":3: unknown key `minuets`; allowed: name, run, minutes, proof, dir, network",
  ],
  [
    "budget:\n  turns: 5\n  dollars: 5\n",
    ":3: unknown key `dollars`; allowed: turns, minutes, tokens, cost-usd",
  ],
  ["checks: []\n", ":1: checks: the list is empty; declare at least one check"],
  [
    "\nchecks: npm test\n",
    ':2: checks: expected a list of checks, such as `- { name: test, run: npm test }`, got "npm test"',
  ],
  [
    "checks:\n  - npm test\n",
    ':2: checks[1]: expected keys and values (name, run, minutes, proof, dir, network), got "npm test"',
  ],
  ["checks:\n  - run: a\n  - name: test\n", ":3: checks[2]: the key `run` is missing"],
  ["checks:\n  - run: ''\n", ":2: checks[1].run: the command is empty"],
  ["checks:\n  - run: 5\n", ":2: checks[1].run: expected a command, got 5"],
  [
    "checks:\n  - { run: a, minutes: 0 }\n",
    "checks[1].minutes: expected a number of minutes from 0.1 to 360, got 0",
  ],
  [
    "checks:\n  - { run: a, minutes: ten }\n",
    'minutes: expected a number of minutes from 0.1 to 360, got "ten"',
  ],
  ["checks:\n  - { run: a, proof: yes please }\n", "proof: expected true or false"],
  [
    "checks:\n  - { run: a, dir: ../x }\n",
    "dir: expected a relative path inside the repository, without `..`",
  ],
  ["checks:\n  - { run: a, dir: /x }\n", "dir: expected a relative path"],
  ["checks:\n  - { run: a, dir: .git/hooks }\n", "dir: expected a relative path"],
  ['checks:\n  - { run: a, name: "x\\ny" }\n', "name: expected a name of 1 to 60 characters in one line"],
  [
    "checks:\n  - { run: a, name: x }\n  - { run: b, name: x }\n",
    ":3: two checks are named `x`; names must differ",
  ],
  ["checks:\n  - run: a\n  - run: a\n", ":3: two checks are named `a`; names must differ"],
  ["setup: []\nunproved: reject\n", ':2: unproved: expected one of draft, refuse, got "reject"'],
  ["already-red: true\n", ":1: already-red: expected one of show, refuse, got true"],
  ["limits:\n  files: 0\n", ":2: limits.files: expected a number of files from 1 to 100000, got 0"],
  ["limits: { bytes: 1.5 }\n", ":1: limits.bytes: expected a whole number, got 1.5"],
  ["limits:\n  lines: 9\n", ":2: unknown key `lines`; allowed: files, bytes, file-bytes"],
  ["setup: npm ci\n", ':1: setup: expected a list of commands, got "npm ci"'],
  ["setup:\n  - npm ci\n  - 5\n", ":3: setup[2]: expected a command, got 5"],
  ["setup:\n  - npm run x: y\n", ":2: setup[1]: expected a command, got keys and values"],
  ["env: [A-B]\n", ":1: env[1]: expected the name of a variable"],
  [
    "env:\n  - JAVA_HOME\n  - NPM_TOKEN\n",
    ":3: env[2]: a variable of this name may hold a secret and is never passed on",
  ],
  ["env: [ANTHROPIC_BASE_URL]\n", "may hold a secret"],
  ["env: [INPUT_X]\n", "may hold a secret"],
  ["env: [LD_PRELOAD]\n", "changes what programs load"],
  ["protected: ['']\n", ":1: protected[1]: the pattern is empty"],
  ["tamper: ignore\n", ':1: tamper: expected one of flag, refuse, got "ignore"'],
  ["instructions: [../x]\n", ":1: instructions[1]: expected a relative path"],
  ["approve: [read]\n", ":1: approve[1]: expected one of edit, write, shell"],
  ["approve: shell\n", ":1: approve: expected a list of tools"],
  ["budget: 5\n", ":1: budget: expected keys and values (turns, minutes, tokens, cost-usd), got 5"],
  ["budget: { turns: 1.5 }\n", "budget.turns: expected a whole number"],
  ["budget: { cost-usd: -1 }\n", "budget.cost-usd: expected a number of US dollars from 0"],
  [
    "- a\n",
    ":1: the file: expected keys and values (env, setup, checks, protected, tamper, already-red, unproved, baseline, limits, instructions, approve, budget), got a list",
  ],
  ["[]\n", ":1: the file: expected keys and values"],
  ["budget: []\n", ":1: budget: expected keys and values"],
  ["just text\n", ":1: the file: expected keys and values"],
  ["setup: [a\n", ":"],
  ["setup: [a]\nsetup: [b]\n", ":2: Map keys must be unique"],
  ["a: &x [1]\nb: !!js/function 'x'\n", ":2: Unresolved tag"],
  ["setup: *nowhere\n", "nresolved alias"],
  ["setup: [a]\n---\nsetup: [b]\n", "multiple documents"],
  ["<<: { setup: [a] }\n", "unknown key `<<`"],
  [
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`,
    "alias",
  ],
  [`setup: ["${"x".repeat(70_000)}"]\n`, "over 64 KiB"],
  ["? [a]\n: b\n", ":"],
];

describe("readConfig", () => {
  it("reads a whole file", () => {
    expect(read(whole)).toEqual({
      kind: "config",
      config: {
        env: ["JAVA_HOME", "GOROOT"],
        setup: ["npm ci"],
        checks: [
          { name: "test", run: "npm test", minutes: 15, proof: true, dir: "", network: false },
          {
            name: "npm run lint",
            run: "npm run lint",
            minutes: 10,
            proof: false,
            dir: "packages/core",
            network: true,
          },
        ],
        protected: ["package.json"],
        tamper: "refuse",
        alreadyRed: "refuse",
        unproved: "refuse",
        baseline: "gate",
        limits: { files: 20, bytes: 5_000_000, fileBytes: 500 },
        instructions: ["AGENTS.md"],
        approve: ["shell"],
        budget: { turns: 60, minutes: 50, tokens: 500_000, costUsd: 5 },
      },
    });
  });

  it("lets an approval be asked for of every tool that can change something, and of no other", () => {
    expect(tools.filter((tool) => tool.class !== "read").map(({ name }) => name)).toEqual([...changingTools]);
  });

  it("takes an empty file as no file", () => {
    expect(read("# nothing yet\n")).toEqual({ kind: "config", config: noConfig });
  });

  it("calls a single check `test`", () => {
    expect(read("checks: [{ run: make }]")).toMatchObject({ config: { checks: [{ name: "test" }] } });
  });

  it.each(refusals)("refuses %j", (text, why) => {
    expect(read(text)).toEqual({ kind: "refused", why: expect.stringContaining(why) });
    expect(read(text)).toMatchObject({ why: expect.stringMatching(/^\.github\/agent\.yml(:\d+)?: /) });
  });

  it("refuses bytes that are not text", () => {
    expect(parseYaml(Uint8Array.of(0xff, 0xfe), source)).toMatchObject({
      why: `${source}: the file is not UTF-8 text`,
    });
  });
});

describe("checksFromLines", () => {
  it("makes one check of each line", () => {
    expect(
      checksFromLines("\n npm test \r\n# not this\nnpm run lint\nnpm  test\n").map(({ name, run }) => [
        name,
        run,
      ]),
    ).toEqual([
      ["npm test", "npm  test"],
      ["npm run lint", "npm run lint"],
    ]);
    expect(checksFromLines("npm test")).toEqual([
      { name: "test", run: "npm test", minutes: 10, proof: false, dir: "", network: false },
    ]);
    expect(checksFromLines(" \n")).toEqual([]);
  });

  it("reads setup commands in the same way", () => {
    expect(commandsFromLines("npm ci\n\n# x\nnpm ci\n")).toEqual(["npm ci", "npm ci"]);
  });
});

describe("definitionsDigest", () => {
  it("differs with every field and with the order", () => {
    const [one, two] = checksFromLines("a\nb");
    if (one === undefined || two === undefined) throw new Error("the test has two checks");
    const variants = [
      [one, two],
      [two, one],
      [one],
      [{ ...one, name: "x" }],
      [{ ...one, run: "x" }],
      [{ ...one, minutes: 11 }],
      [{ ...one, proof: true }],
      [{ ...one, dir: "x" }],
      [{ ...one, network: true }],
    ];
    expect(new Set(variants.map((checks) => definitionsDigest(checks))).size).toBe(variants.length);
    expect(definitionsDigest([{ ...one }])).toBe(definitionsDigest([one]));
    const ran = [null, "setup_1", "setup_2"].map((setup) => definitionsDigest([one], setup));
    expect(new Set(ran).size).toBe(3);
    expect(ran[0]).toBe(definitionsDigest([one]));
  });
});
