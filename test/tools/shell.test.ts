import { describe, expect, it } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { givenWorkspace } from "./given-workspace.ts";

const cases: readonly (readonly [rule: string, input: object, status: string, output: string | RegExp])[] = [
  ["shows the output and the exit code", { command: "echo a; echo b >&2" }, "ok", "a\nb\n[exit code 0]"],
  ["is an error when the command fails", { command: "echo a; exit 3" }, "error", "a\n[exit code 3]"],
  ["says that there was no output", { command: "true" }, "ok", "(no output)\n[exit code 0]"],
  [
    "names a signal",
    { command: "kill -SEGV $$" },
    "error",
    /\[exit code 139, which is 128 \+ 11: ended by SIGSEGV\]/,
  ],
  ["runs in the workspace", { command: "ls" }, "ok", "sub\n[exit code 0]"],
  ["runs in a directory of it", { command: "ls", dir: "sub" }, "ok", "in.txt\n[exit code 0]"],
  [
    "refuses a directory that is a file",
    { command: "ls", dir: "sub/in.txt" },
    "error",
    /not a directory; the command was not run/,
  ],
  [
    "says when the time is over",
    { command: "echo a; sleep 60", seconds: 1 },
    "error",
    /^a\n\[timed out after 1 s: it was killed with everything/,
  ],
  ["refuses more time than there is", { command: "true", seconds: 601 }, "error", /"seconds"/],
  ["refuses a NUL", { command: "echo \0" }, "error", /NUL byte/],
  [
    "refuses what no program can be given",
    { command: `: ${"\u20ac".repeat(40_000)}` },
    "error",
    /more than 100,000 bytes/,
  ],
  [
    "says that what it left running was killed",
    { command: "sleep 60 & echo a" },
    "ok",
    /^a\n\[exit code 0\]\n\[what it left running/,
  ],
];

describe("shell", () => {
  it.each(cases)("%s", async (_rule, input, status, output) => {
    using bench = givenWorkspace({ "sub/in.txt": "" });
    const result = await bench.use("shell", input);
    expect(result.status).toBe(status);
    if (typeof output === "string") expect(result.output).toBe(output);
    else expect(result.output).toMatch(output);
  });

  it("stays within the bound and says where the whole output stands", async () => {
    using bench = givenWorkspace();
    const { output, whole } = await bench.use("shell", { command: "seq 1 20000" }, { callId: "toolu_1" });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limits.modelOutputBytesMax);
    expect(output).toMatch(/; the whole stands in output:toolu_1, which read shows in parts\]\n/);
    expect(output).toMatch(/\n20000\n\[exit code 0\]$/);
    expect(whole?.split("\n")).toHaveLength(20_001);
  });

  it("is killed when the call is cancelled", async () => {
    using bench = givenWorkspace();
    const abort = new AbortController();
    const onOutput = (): void => abort.abort();
    const result = await bench.use(
      "shell",
      { command: "echo a; sleep 60" },
      { signal: abort.signal, onOutput },
    );
    expect(result).toMatchObject({ status: "killed", output: expect.stringMatching(/^a\n\[cancelled/) });
  });
});
