import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { type CommandOptions, type CommandResult, runCommand } from "../../src/tools/process.ts";

const run = (command: string, more: Partial<CommandOptions> = {}): Promise<CommandResult> =>
  runCommand({
    command,
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput: () => {},
    ...more,
  });

type Ending = Partial<Omit<CommandResult, "ms">>;

const clean = { timedOut: false, aborted: false, lingered: false } as const;
const endings: readonly (readonly [rule: string, command: string, ending: Ending])[] = [
  ["reports exit code 0", "true", { ...clean, exitCode: 0, signal: null, output: "" }],
  ["reports another exit code", "exit 7", { ...clean, exitCode: 7, signal: null }],
  ["names the signal that 128 + n stands for", "kill -TERM $$", { exitCode: 143, signal: "SIGTERM" }],
  ["leaves other codes above 128 alone", "exit 255", { exitCode: 255, signal: null }],
  ["says when the whole group was killed", "kill -KILL 0", { exitCode: null, signal: "SIGKILL" }],
  ["keeps stdout and stderr in order", "echo 1; echo 2 >&2; echo 3; echo 4 >&2", { output: "1\n2\n3\n4\n" }],
  [
    "lets /dev/stdout and /dev/stderr be opened",
    "echo 1 >/dev/stdout; echo 2 >/dev/stderr",
    { output: "1\n2\n" },
  ],
  ["gives an empty stdin", "cat; echo end", { output: "end\n" }],
  ["reports a syntax error as the shell does", "if", { exitCode: 2 }],
  ["shows NULs", "printf 'a\\0b'", { output: "a\u2400b", bytes: 3 }],
  ["replaces what is not UTF-8", "printf '\\377'", { output: "\uFFFD", bytes: 1 }],
  ["does not hand its report channel on", "echo x >&3", { exitCode: 1 }],
  ["takes a command that looks like an option", "-x 2>/dev/null; echo $?", { output: "127\n" }],
];

describe("a command", () => {
  it.each(endings)("%s", async (_rule, command, ending) => {
    expect(await run(command)).toMatchObject(ending);
  });

  it("gets the environment it is given and no more", async () => {
    const { output } = await run("env", { env: { PATH: "/usr/bin:/bin", ONLY: "this" } });
    const names = output
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace(/=.*/, ""))
      .sort();
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name))).toEqual(["ONLY", "PATH"]);
  });

  it("is given to what stands in front of the shell", async () => {
    expect(await run("echo $MARK", { prefix: ["/usr/bin/env", "MARK=there"] })).toMatchObject({
      output: "there\n",
    });
  });

  it("throws when it cannot be started", async () => {
    await expect(run("true", { prefix: ["/nonexistent/program"] })).rejects.toThrow(
      /cannot start the shell for: true/,
    );
  });
});

/** Whether a process still runs; a zombie does not. */
const runs = (pid: string): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid.trim()}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("ending a command", () => {
  it("kills it and all it started at the timeout", async () => {
    const result = await run("sleep 60 & echo $!; sleep 60", { timeoutMs: 300 });
    expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true, aborted: false });
    expect(runs(result.output)).toBe(false);
  });

  it("kills it and all it started when the call is aborted", async () => {
    const abort = new AbortController();
    const onOutput = (): void => abort.abort();
    const result = await run("sleep 60 & echo $!; sleep 60", { signal: abort.signal, onOutput });
    expect(result).toMatchObject({ exitCode: null, aborted: true, timedOut: false });
    expect(runs(result.output)).toBe(false);
  });

  it("does not leave it running when the call was aborted before", async () => {
    expect(await run("sleep 60", { signal: AbortSignal.abort() })).toMatchObject({ aborted: true });
  });

  it("keeps the exit code when something it left holds the output open, and kills that (F58)", async () => {
    const result = await run("sleep 60 & echo $!; exit 4");
    expect(result).toMatchObject({ exitCode: 4, signal: null, lingered: true, timedOut: false });
    expect(runs(result.output)).toBe(false);
  });

  it("kills what it left in the background without the output", async () => {
    const result = await run("sleep 60 >/dev/null 2>&1 & echo $!");
    expect(result).toMatchObject({ exitCode: 0, lingered: false });
    expect(runs(result.output)).toBe(false);
  });
});

describe("a long output", () => {
  it("is shown by its head and tail within the bound, and kept whole", async () => {
    const result = await run("seq 1 20000", {
      hint: ({ line, column, kept }) => `hint ${line} ${column} ${kept}`,
    });
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(limits.modelOutputBytesMax);
    expect(result.output.startsWith("1\n2\n")).toBe(true);
    expect(result.output.endsWith("\n19999\n20000\n")).toBe(true);
    expect(result.whole).toBe(lines.join(""));
    const [, bytes = "", ends = "", line] =
      /\[cut here: ([\d,]+) bytes, ([\d,]+) line ends; hint (\d+) 1 true\]\n/.exec(result.output) ?? [];
    const shown = result.output.replace(/\[cut here.*\n/, "");
    const [head = ""] = result.output.split("[cut here");
    expect(Number(line)).toBe(head.split("\n").length);
    expect(Number(bytes.replaceAll(",", ""))).toBe(result.bytes - Buffer.byteLength(shown));
    expect(Number(ends.replaceAll(",", ""))).toBe(20_000 - (shown.match(/\n/g)?.length ?? 0));
  });

  it("of any length and any bytes stays within bounds of memory, counted exactly (F59)", async () => {
    const before = process.memoryUsage().rss;
    const floods = ["yes | head -c 200000000", "head -c 90000000 /dev/zero", "head -c 10000000 /dev/urandom"];
    const result = await run(floods.join(";"));
    expect(result.bytes).toBe(300_000_000);
    expect(Buffer.byteLength(result.whole ?? "")).toBeLessThanOrEqual(limits.storedOutputBytesMax);
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
  });

  it("is streamed while it comes", async () => {
    const seen: string[] = [];
    await run("printf '\\342\\202'; printf '\\254'; echo", { onOutput: (text) => seen.push(text) });
    expect(seen.join("")).toBe("\u20ac\n");
  });
});
