import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { sessionOf, storedSession } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { commented, commentsOfOurs, expectEnding, fileAt, plain } from "./given.ts";

/** Copies what the manifest names, and says what it has found in its place and in its HOME. */
const install = `import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
console.log(JSON.stringify({ dependencies, home: readdirSync(process.env.HOME), here: readdirSync(".") }));
for (const name of Object.keys(dependencies)) cpSync("registry/" + name, "node_modules/" + name, { recursive: true });
writeFileSync(process.env.HOME + "/cache", "");
writeFileSync("installed.txt", Object.keys(dependencies).join());
`;
const imports = `import { readFileSync } from "node:fs";
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
for (const name of Object.keys(dependencies)) await import(name);
`;
const manifestOf = (dependencies: object): string => `${JSON.stringify({ dependencies })}\n`;
const files = {
  ".github/agent.yml":
    "baseline: gate\nsetup: [node install.mjs]\nchecks:\n  - { name: test, run: node imports.mjs }\n",
  ".gitignore": "node_modules\n",
  "package.json": manifestOf({}),
  "install.mjs": install,
  "imports.mjs": imports,
  "registry/left-pad/index.js": "module.exports = () => 'padded';\n",
};
const wanted = manifestOf({ "left-pad": "1.3.0" });

describe.skipIf(!canSandbox)("a change of what setup installs from", () => {
  it("is set up once a person has allowed it, with nothing else of the change, and leaves nothing in what is pushed", async () => {
    const script = [
      use("write", { path: "package.json", content: wanted }),
      use("write", { path: "install.mjs", content: "process.exit(1); // not what anybody has looked at\n" }),
      say("Pad with left-pad"),
    ];
    await using world = await givenWorld({ files, script });
    const asked = world.asked();
    const first = await world.finish(asked);
    const [status, comment] = commentsOfOurs(world, asked.issue);
    await expectEnding(world, first, {
      ...{ outcome: "needs-input", reason: "approval", exit: 0, resumable: true },
      ...{ thread: 1, comments: 2, requests: 3 },
    });
    const session = sessionOf(world, asked);
    const [id = ""] = /setup_[0-9a-f]{32}/.exec(plain(status?.body ?? "")) ?? [];
    expect(comment?.body).toContain("```sh\nnode install.mjs\n```");
    expect(comment?.body).toContain(`-${manifestOf({})}+${wanted}`);
    expect(comment?.body).not.toContain("not what anybody has looked at");
    expect(first.summary).toContain(`+${wanted}`);
    const eventsOf = async () => (await storedSession(world, session))?.events ?? [];
    const setups = async () => (await eventsOf()).filter((event) => event.type === "setup.settled");
    expect(await setups()).toHaveLength(1);
    expect((await eventsOf()).filter(({ type }) => type.startsWith("check."))).toEqual([]);

    const second = await world.finish(commented(world.github, asked.issue, `/agent approve ${id}`));
    await expectEnding(world, second, {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, thread: 1, comments: 2 },
      ...{ requests: 3, branches: [/^agent\/1-/], pulls: 1 },
    });
    const [base, , changed, ...more] = await setups();
    expect(more).toEqual([]);
    expect(base).not.toHaveProperty("approval");
    expect(changed).toMatchObject({ ok: true, tree: null, approval: id });
    const [run] = changed?.type === "setup.settled" ? changed.commands : [];
    const found = JSON.parse(run?.output.type === "inline" ? run.output.text : "");
    expect(found).toMatchObject({ dependencies: { "left-pad": "1.3.0" }, home: [] });
    // Neither what the base's setup left nor another file of the change.
    expect(found.here.toSorted()).toEqual([
      ".github",
      ".gitignore",
      "imports.mjs",
      "install.mjs",
      "package.json",
      "registry",
      "sum.mjs",
      "sum.test.mjs",
    ]);

    const branch = world.github.branches().find((name) => name !== "main") ?? "";
    const pushed = world.github.git("ls-tree", "-r", "--name-only", branch).trim().split("\n");
    expect(pushed).toEqual(world.github.git("ls-tree", "-r", "--name-only", "main").trim().split("\n"));
    expect(fileAt(world, branch, "package.json")).toBe(wanted.trim());
    const [pull] = await world.github.pulls();
    expect(plain(pull?.body ?? "")).toContain(
      "package.json: it decides what is installed; setup ran on it here, as maintainer allowed",
    );
    expect(plain(pull?.body ?? "")).toContain("| test | node imports.mjs | green | green |");
    world.model.assertDone();
  });
});
