import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newFolder } from "../kit/folder.ts";
import { cancelByLadder } from "../kit/runner/cancel-ladder.ts";
import type { Run, RunOptions, RunResult } from "../kit/runner/run.ts";
import { runAction } from "../kit/runner/run-action.ts";

describe("the ladder of cancelling", () => {
  async function climb(goneAfter: number): Promise<readonly (string | number)[]> {
    const seen: (string | number)[] = [];
    const gone = new AbortController();
    const sleep = async (ms: number) => {
      seen.push(ms);
      if (seen.length >= goneAfter) gone.abort();
    };
    await cancelByLadder((signal) => seen.push(signal), gone.signal, { sleep });
    return seen;
  }

  it("sends SIGTERM 7.5 s after SIGINT and SIGKILL 2.5 s after that", async () => {
    expect(await climb(Number.POSITIVE_INFINITY)).toEqual(["SIGINT", 7500, "SIGTERM", 2500, "SIGKILL"]);
  });

  it("stops when the process has gone", async () => {
    expect(await climb(1)).toEqual(["SIGINT", 7500]);
  });
});

describe("an action", () => {
  const dirs: string[] = [];
  afterEach(async () => {
    for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true });
  });

  const actionYml = `
inputs:
  key: {}
  phrase: { default: /agent }
  github-token: { default: "\${{ github.token }}" }
outputs:
  outcome: {}
runs: { using: node24, main: main.mjs, post: post.mjs, post-if: always() }
`;

  const setOutput = `import fs from "node:fs";
const put = (name, text) => fs.appendFileSync(process.env[name], text);
`;

  async function start(main: string, options: Partial<RunOptions> = {}, post = ""): Promise<Run> {
    const root = newFolder("runner");
    dirs.push(root);
    const actionDir = join(root, "action");
    await mkdir(actionDir);
    await writeFile(join(actionDir, "action.yml"), actionYml);
    await writeFile(join(actionDir, "main.mjs"), setOutput + main);
    await writeFile(join(actionDir, "post.mjs"), setOutput + post);
    return runAction({
      actionDir,
      machine: join(root, "machine"),
      event: { repository: { id: 7, default_branch: "trunk" }, sender: { login: "eve", id: 66 } },
      eventName: "issue_comment",
      repository: "acme/rocket",
      ...options,
    });
  }

  async function run(main: string, options: Partial<RunOptions> = {}, post = ""): Promise<RunResult> {
    return (await start(main, options, post)).done;
  }

  it("gets the runner's variables and nothing of the test's own but PATH", async () => {
    process.env["LEAK"] = "leaked";
    const { rawLog } = await run("console.log(JSON.stringify(process.env))", { runId: 5, runAttempt: 2 });
    delete process.env["LEAK"];
    const env: unknown = JSON.parse(rawLog);
    expect(env).toMatchObject({
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "eve",
      GITHUB_ACTOR_ID: "66",
      GITHUB_REF: "refs/heads/trunk",
      GITHUB_REPOSITORY: "acme/rocket",
      GITHUB_REPOSITORY_ID: "7",
      GITHUB_REPOSITORY_OWNER: "acme",
      GITHUB_RUN_ID: "5",
      GITHUB_RUN_ATTEMPT: "2",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_WORKFLOW_REF: "acme/rocket/.github/workflows/agent.yml@refs/heads/trunk",
      RUNNER_ENVIRONMENT: "github-hosted",
    });
    expect(env).not.toHaveProperty("LEAK");
    expect(env).not.toHaveProperty("GITHUB_TOKEN");
    expect(env).not.toHaveProperty("GITHUB_ACTION_PATH");
  });

  it("finds its event, its workspace and every directory under the machine", async () => {
    const main = `const { GITHUB_EVENT_PATH, RUNNER_TEMP, RUNNER_TOOL_CACHE, GITHUB_WORKSPACE, HOME } = process.env;
      console.log(JSON.stringify([GITHUB_EVENT_PATH, RUNNER_TEMP, RUNNER_TOOL_CACHE, GITHUB_WORKSPACE, HOME, process.cwd()]));
      console.log(JSON.parse(fs.readFileSync(GITHUB_EVENT_PATH)).sender.login);`;
    const { rawLog } = await run(main);
    const [places, login] = rawLog.split("\n");
    const machine = join(dirs[0] ?? "", "machine");
    for (const place of JSON.parse(places ?? "") as string[]) expect(place.startsWith(machine)).toBe(true);
    expect(login).toBe("eve");
  });

  it("gets its inputs, with github.token evaluated in defaults only", async () => {
    const main = "const { INPUT_KEY, INPUT_PHRASE } = process.env; console.log(INPUT_KEY, INPUT_PHRASE);";
    const expression = `$${"{{ github.token }}"}`;
    const given = { key: expression };
    const result = await run(`${main} console.log(process.env["INPUT_GITHUB-TOKEN"])`, {
      inputs: given,
      githubToken: "ghs_job",
    });
    expect(result.rawLog).toBe(`${expression} /agent\nghs_job`);
    expect(result.log).toBe(`${expression} /agent\n***`);
  });

  it("is warned of an unknown input and of an undeclared output", async () => {
    const main = 'put("GITHUB_OUTPUT", "outcome=ok\\nextra<<E\\n1\\n2\\nE\\n")';
    const { outputs, annotations, conclusion } = await run(main, { inputs: { kee: "x" } });
    expect(outputs).toEqual({ outcome: "ok", extra: "1\n2" });
    expect(annotations.map((a) => a.message)).toEqual([
      "Unexpected input(s) 'kee', valid inputs are ['key', 'phrase', 'github-token']",
      "Undeclared output(s) 'extra'",
    ]);
    expect(conclusion).toBe("success");
  });

  it("hands state, variables and paths to its post step", async () => {
    const main = `put("GITHUB_STATE", "id=s1\\n"); put("GITHUB_ENV", "A=b\\nNODE_OPTIONS=-x\\n");
      put("GITHUB_PATH", "/opt/mine\\n"); put("GITHUB_STEP_SUMMARY", "# Main\\n"); process.exit(3);`;
    const post = `console.log(process.env.STATE_id, process.env.A, process.env.PATH.split(":")[0]);
      put("GITHUB_STEP_SUMMARY", "and post\\n");`;
    const result = await run(main, {}, post);
    expect(result).toMatchObject({ code: 3, postCode: 0, conclusion: "failure", state: { id: "s1" } });
    expect(result.exportedEnv).toEqual({ A: "b" });
    expect(result.log).toContain("s1 b /opt/mine");
    expect(result.summary).toBe("# Main\nand post\n");
    expect(result.annotations.at(-1)?.message).toContain("Can't store NODE_OPTIONS");
  });

  it("has no post step when the test says that the machine dies", async () => {
    const result = await run("process.exit(0)", { post: false }, 'console.log("post")');
    expect(result).toMatchObject({ postCode: undefined, log: "" });
  });

  const stubborn = `process.on("SIGINT", () => console.log("int")); process.on("SIGTERM", () => console.log("term"));
    setInterval(() => {}, 1000); console.log("ready");`;

  it("that ignores SIGINT and SIGTERM is killed, and its post step still runs", async () => {
    const plan = [{ after: "ready", do: "cancel" }] as const;
    // Each wait lasts until the process has said that it heard the signal.
    const heard = { int: Promise.withResolvers<void>(), term: Promise.withResolvers<void>() };
    const onLine = (line: string) => {
      if (line === "int" || line === "term") heard[line].resolve();
    };
    const sleep = (ms: number) => (ms === 7500 ? heard.int.promise : heard.term.promise);
    const result = await run(stubborn, { plan, onLine, ladder: { sleep } }, 'console.log("post")');
    expect(result).toMatchObject({ code: null, signal: "SIGKILL", postCode: 0, conclusion: "cancelled" });
    expect(result.log).toBe("ready\nint\nterm\npost");
  });

  const child = (options: string) => `import { spawn } from "node:child_process";
    const args = ["-e", "setInterval(() => {}, 1000)", process.env.RUNNER_TEMP];
    const child = spawn(process.execPath, args, ${options});
    setInterval(() => {}, 1000); console.log("child " + child.pid);`;
  const withChild = child('{ stdio: "ignore" }');
  // Nothing of the job stands in its environment; only its arguments name a folder of the machine.
  const withBareChild = child('{ stdio: "ignore", env: {} }');

  it("leaves children that a signal does not reach; the job's end kills them", async () => {
    const result = await run(withChild, { plan: [{ after: /child/, do: "SIGKILL" }] });
    expect(result.signal).toBe("SIGKILL");
    expect(result.orphans).toEqual([Number(result.log.split(" ")[1])]);
  });

  it.each([
    ["", withChild],
    [", also what was started without the job's environment", withBareChild],
  ])("loses everything with its machine%s", async (_, main) => {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const job = await start(main, { onLine: () => resolve() }, 'console.log("post")');
    await ready;
    const result = await job.lose();
    expect(result).toMatchObject({ signal: "SIGKILL", postCode: undefined });
    expect(result.log).not.toContain("post");
    await expect(stat(join(dirs[0] ?? "", "machine"))).rejects.toThrow("ENOENT");
    const pid = Number(result.log.split(" ")[1]);
    // A killed process is gone when the kernel has come to it, not when the signal was sent.
    expect(await isGone(pid)).toBe(true);
  });

  it("is not waited for when a child holds its output open", async () => {
    const main = `import { spawn } from "node:child_process"; setInterval(() => {}, 1000);
      spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); console.log("out");`;
    const result = await run(main, { drainMs: 0, plan: [{ after: "out", do: "SIGKILL" }] });
    expect(result).toMatchObject({ signal: "SIGKILL", log: "out" });
    expect(result.orphans.length).toBe(1);
  });
});

/** Asks again until the process is gone or a zombie; bounded, so that one that lives on is told from one that dies. */
async function isGone(pid: number): Promise<boolean> {
  for (let asked = 0; asked < 5000; asked += 1) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (status === "" || /^State:\t[ZX]/m.test(status)) return true;
    await new Promise((next) => setImmediate(next));
  }
  return false;
}
