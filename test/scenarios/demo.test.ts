import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { shapeOf, withExamples } from "../../.github/scripts/readme-example.ts";
import type { DemoLine } from "../demo/verdict.ts";
import { newFolder } from "../kit/folder.ts";
import { buildMutant, type Mutation } from "../kit/mutant.ts";

const root = resolve(import.meta.dirname, "../..");

/** After the workspace is restored, the last shell call that the log holds as settled runs once more. */
const replaysACall: Mutation = {
  file: "app/open-work.js",
  find: "    board.sandbox(room.sandbox);\n",
  replace: `    board.sandbox(room.sandbox);
    const before = await journal.recordsFrom(0);
    const intended = before.flatMap(({ record: { event } }) => (event.type === "calls.intended" ? event.calls : []));
    for (const { id, tool, arguments: input } of intended.filter((call) => call.tool === "shell").slice(-1)) {
      const call = { id, tool, arguments: JSON.parse(await journal.load(input)), attachment: null };
      await room.toolbox.run(call, { signal, onOutput: () => {} });
    }
`,
};

/** What the first round found is recorded, and then the work is let through without a second one. */
const skipsTheSecondRound: Mutation = {
  file: "gate/gate.js",
  find: "return fail(asked, findings, evidence);",
  replace: "return fail(asked, findings, evidence).then(() => pass(asked, evidence));",
};

// A bound on hanging: three demos and two builds, on a machine that does other things too.
const timeout = 240_000;

describe("the demo", { timeout }, () => {
  it("shows a killed session that goes on elsewhere and publishes only what the gate passed (F52)", async () => {
    using folder = temporary();
    const { exit, line, printed } = await runDemo(["--out", folder.path]);
    expect(line, printed).toMatchObject({
      outcome: "pull-request",
      runs: 2,
      gateRounds: 2,
      treeRestored: true,
      callsRepeated: 0,
      callsCounted: 3,
      redOnBase: true,
      greenOnBranch: true,
      assertions: 189,
    });
    expect(exit, printed).toBe(0);
    expect(printed).not.toContain("NOT SO");
    expect(existsSync(join(folder.path, "session/events.jsonl"))).toBe(true);
    expect(readFileSync(join(folder.path, "pull-request.md"), "utf8")).toContain(line.session);
    const readme = readFileSync(join(root, "README.md"), "utf8");
    expect(shapeOf(readme), "see .github/scripts/readme-example.ts").toBe(
      shapeOf(withExamples(readme, folder.path)),
    );
  });

  it("counts a settled call that runs again", async () => {
    using folder = temporary();
    using mutant = await buildMutant([replaysACall]);
    const { exit, line, printed } = await runDemo(["--out", folder.path, "--action", mutant.actionDir]);
    expect(line, printed).toMatchObject({ outcome: "pull-request", callsRepeated: 1, greenOnBranch: true });
    expect(exit).toBe(1);
  });

  it("sees a branch that the second round of the gate has not judged", async () => {
    using folder = temporary();
    using mutant = await buildMutant([skipsTheSecondRound]);
    const { exit, line, printed } = await runDemo(["--out", folder.path, "--action", mutant.actionDir]);
    expect(line, printed).toMatchObject({ gateRounds: 1, greenOnBranch: false, callsRepeated: 0 });
    expect(exit).toBe(1);
  });

  it.each([
    [["--live"], "--live needs an API key in ANTHROPIC_API_KEY"],
    [["--action", "/nowhere"], "/nowhere/dist/main/index.js does not exist; run npm run build"],
    [["--fast"], "'--fast'"],
  ])("refuses %j with a sentence", async (args, sentence) => {
    const { exit, complained } = await runNode(args);
    expect(exit).toBe(2);
    expect(complained).toContain(sentence);
  });
});

async function runDemo(args: readonly string[]) {
  const { exit, said, complained } = await runNode(args);
  const last = said.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`the demo has no last line of JSON: ${said}${complained}`);
  return { exit, line: JSON.parse(last) as DemoLine, printed: said + complained };
}

async function runNode(args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, "test/demo/demo.ts"), ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
  });
  const closed = once(child, "close");
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit] = (await closed) as [number | null];
  return { exit, said, complained };
}

function temporary(): Disposable & { readonly path: string } {
  const path = newFolder("demo-test");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
