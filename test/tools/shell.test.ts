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
    expect(output).toMatch(/; to go on, read \{"path": "output:toolu_1", "from": \d+\}\]\n/);
    expect(output).toMatch(/\n20000\n\[exit code 0\]$/);
    expect(whole?.split("\n")).toHaveLength(20_001);
  });

  it.each([
    ["in many lines", "seq 1 60000", "1\n2\n", "\n60000\n"],
    ["in one line without an end", "seq -s '' 1 60000 | tr -d '\\n'", "123456789101112", "5999960000"],
    ["in one line of wide characters", "seq -s '\u20ac\u{1F600}' 1 30000", "1\u20ac\u{1F600}2", "30000\n"],
  ])(
    "lets a long output be read to its end by the calls that it names: %s",
    async (_, command, start, end) => {
      using bench = givenWorkspace();
      const { output, whole } = await bench.use("shell", { command }, { callId: "toolu_1" });
      if (whole === null) throw new Error("the test's output is too short to be cut");
      const [head = ""] = output.split("[cut here");
      const parts = [head.replace(/\n$/, "")];
      const named = /; to go on, read (\{.*\})\]\n/.exec(output)?.[1] ?? "{}";
      let call = JSON.parse(named) as { from: number; column?: number };
      expect(call).toMatchObject({ path: "output:toolu_1" });
      for (let pages = 0; call.from > 0; pages += 1) {
        expect(pages).toBeLessThan(400);
        const page = await bench.use("read", { lines: 100_000, ...call }, { attachment: whole });
        expect(page.status).toBe("ok");
        expect(Buffer.byteLength(page.output)).toBeLessThanOrEqual(limits.modelOutputBytesMax);
        const shown = page.output.split("\n").filter((line) => /^ *\d+\t/.test(line));
        const text = shown.map((line) => line.replace(/^ *\d+\t/, "")).join("\n");
        parts.push((call.column ?? 1) > 1 ? text : `\n${text}`);
        const [, from = "0", column] = /go on with from: (\d+)(?:, column: (\d+))?\]/.exec(page.output) ?? [];
        call = { ...call, from: Number(from), column: Number(column ?? 1) };
      }
      const read = parts.join("");
      expect([read.slice(0, start.length), whole.slice(-end.length)]).toEqual([start, end]);
      // Compared by their lengths first: a difference in half a megabyte would be printed.
      expect(read.length).toBe(whole.replace(/\n$/, "").length);
      expect(read === whole.replace(/\n$/, "")).toBe(true);
    },
  );

  it("keeps five megabytes whole, to their last line", async () => {
    using bench = givenWorkspace();
    const { whole } = await bench.use("shell", { command: "seq 1 700000" }, { callId: "toolu_1" });
    expect(whole?.length).toBe(4_788_895);
    const last = { path: "output:toolu_1", from: 699_999 };
    const { output } = await bench.use("read", last, { attachment: whole });
    expect(output).toBe("699999\t699999\n700000\t700000");
  });

  it("says how much is kept of an output that is larger than that", async () => {
    using bench = givenWorkspace();
    const { output, whole } = await bench.use(
      "shell",
      { command: "yes | head -c 9000000" },
      { callId: "toolu_1" },
    );
    expect(output).toContain(", where 8 MiB of it are kept]\n");
    const [, bytes = ""] = /\[cut here: ([\d,]+) bytes, /.exec(whole ?? "") ?? [];
    const kept = (whole ?? "").replace(/\[cut here.*\n/, "");
    expect(Number(bytes.replaceAll(",", "")) + kept.length).toBe(9_000_000);
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
