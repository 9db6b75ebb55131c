import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyNoInjection } from "../kit/disk/failed-calls.ts";
import { newFolder } from "../kit/folder.ts";
import { stopAndAim } from "../kit/kill/stop-and-aim.ts";
import { oneThread } from "../kit/kill/tracer.ts";

const why = whyNoInjection();

/**
 * Records in three lots, four words behind each; how much it writes to neither before them is chance. It begins when it has
 * been joined, which the action has plenty of time for.
 */
const program = `
const { spawnSync } = require("node:child_process");
const { appendFileSync, openSync, readFileSync, writeSync } = require("node:fs");
const { open } = require("node:fs/promises");
const [, log, other, thread] = process.argv;
while (readFileSync("/proc/self/status", "utf8").includes("TracerPid:\\t0\\n"));
(async () => {
  const [records, words] = [await open(log, "a"), openSync(other, "a")];
  for (let record = 1; record <= 3; record += 1) {
    for (let i = Math.floor(Math.random() * 50); i > 0; i -= 1) appendFileSync("/dev/null", "x");
    for (const type of record === 2 ? ["a", "b", "a"] : ["a"]) {
      const line = JSON.stringify({ seq: record, event: { type } }) + "\\n";
      if (thread === "own") writeSync(records.fd, line);
      else await records.write(line);
    }
    spawnSync("true");
    for (let word = 1; word <= 4; word += 1) writeSync(words, record + "." + word + "\\n");
  }
})();
`;

describe.skipIf(why !== null)("a process that is aimed at from a record of its log", () => {
  it.each([
    { aim: "one thread", follow: [], thread: "own" },
    { aim: "all its threads", follow: ["-f", "--detach-on=execve"], thread: "own" },
    { aim: "one thread, where another one writes the records", follow: [], thread: "pool" },
  ])("dies in the call that was counted from there on $aim", ({ follow, thread }) => {
    const dir = newFolder("aim");
    const [file, log, other] = ["trace", "events.jsonl", "words"].map((name) => join(dir, name));
    if (file === undefined || log === undefined || other === undefined) throw new Error("three names");
    writeFileSync(log, "");
    const inject = ["-P", other, "-e", "trace=write", "-e", "inject=write:signal=KILL:when=3"];
    const kill = [...follow, ...inject, "-o", file];
    const record = { type: "a", nth: 3 };
    const [start = "", ...words] = stopAndAim({ file, log, record, words: kill });
    const ran = spawnSync(start, [...words, process.execPath, "-e", program, log, other, thread], {
      env: { ...process.env, ...oneThread },
      timeout: 60_000,
    });
    expect(ran.signal).toBe("SIGKILL");
    expect(
      readFileSync(log, "utf8")
        .match(/"type":"."/g)
        ?.join(),
    ).toBe('"type":"a","type":"a","type":"b","type":"a"');
    expect(readFileSync(other, "utf8")).toBe("1.1\n1.2\n1.3\n1.4\n2.1\n2.2\n");
  });

  it("comes to its own end where it never writes that record", () => {
    const dir = newFolder("aim");
    const file = join(dir, "trace");
    const record = { type: "a", nth: 1 };
    const [start = "", ...words] = stopAndAim({ file, log: join(dir, "none"), record, words: [] });
    const ran = spawnSync(start, [...words, process.execPath, "-p", "process.ppid"], { encoding: "utf8" });
    expect([ran.status, ran.stdout]).toEqual([0, `${process.pid}\n`]);
    expect(existsSync(file)).toBe(false);
  });
});
