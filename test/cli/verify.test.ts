import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import { eventsOf, givenTerminal, sessionIn, type Terminal } from "./given.ts";

let terminal: Terminal;
let session: string;

beforeAll(async () => {
  terminal = givenTerminal();
  const calls = [{ name: "read", input: { path: "n.txt" } }];
  const model = terminal.script([{ calls }, { calls }, { calls }, { text: "Nothing" }]);
  session = sessionIn((await terminal.run("run", "look", "--model", model, "--max-turns", "2")).out);
});

afterAll(() => terminal[Symbol.dispose]());

const putBack =
  "it cannot be resumed as it is: put back the files of this directory from a copy, or begin again with run\n";

/** A copy of the session whose log was changed, and what verify says of it. */
async function verifyChanged(name: string, change: (dir: string, log: Log) => void) {
  const dir = join(terminal.folder, name);
  cpSync(join(terminal.sessions, session), dir, { recursive: true });
  change(dir, logAt(dir));
  return terminal.run("verify", dir);
}

type Log = ReturnType<typeof logAt>;

function logAt(dir: string) {
  const path = join(dir, "events.jsonl");
  const bytes = readFileSync(path);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  /** Where record `seq` begins; one more than there are is the end. */
  const startOf = (seq: number): number => (seq === 1 ? 0 : (ends[seq - 2] ?? bytes.length));
  return { path, bytes, records: ends.length, startOf };
}

describe("verify", () => {
  it("says of a good log that it is whole, how far it got and how it ended", async () => {
    const { records } = logAt(join(terminal.sessions, session));
    const whole = `${session}: whole, ${records} records, generation 1, suspended (turns)\n`;
    expect(await terminal.run("verify", session)).toEqual({ exit: 0, out: whole });
    expect(await terminal.run("verify", join(terminal.sessions, session))).toEqual({ exit: 0, out: whole });
  });

  it("says of a torn log which record is torn and how many bytes a resume cuts", async () => {
    let torn = 0;
    let records = 0;
    let at = 0;
    const said = await verifyChanged("torn", (dir, log) => {
      records = log.records - 1;
      at = log.startOf(log.records);
      torn = Math.floor((log.bytes.length - at) / 2);
      writeFileSync(log.path, log.bytes.subarray(0, at + torn));
      openAgain(dir, log);
    });
    expect(said).toEqual({
      exit: 0,
      out:
        `${session}: torn: record ${records + 1} at byte ${at} is not whole; before it ${records} records, generation 1, interrupted\n` +
        `resume will cut its ${torn} bytes and go on after record ${records}\n`,
    });
  });

  it("says of a flipped bit in which record it is, and what to do", async () => {
    let at = 0;
    const said = await verifyChanged("flipped", (_, log) => {
      at = log.startOf(7);
      const place = log.bytes.indexOf('"type":"', at) + '"type":"'.length;
      log.bytes[place] = (log.bytes[place] ?? 0) ^ 1;
      writeFileSync(log.path, log.bytes);
    });
    const line = `flipped: damaged: record 7 at byte ${at} does not match its hash\n`;
    expect(said).toEqual({ exit: 1, out: line + putBack });
  });

  it("says of a shortened log that acknowledged records are missing", async () => {
    let records = 0;
    const said = await verifyChanged("shortened", (_, log) => {
      records = log.records;
      writeFileSync(log.path, log.bytes.subarray(0, log.startOf(records - 1)));
    });
    const line = `shortened: behind: the log ends at record ${records - 2}, but ${records} was acknowledged\n`;
    expect(said).toEqual({ exit: 1, out: line + putBack });
  });

  it("says of bytes behind the last record that nothing of ours wrote them", async () => {
    let records = 0;
    const said = await verifyChanged("longer", (_, log) => {
      records = log.records;
      writeFileSync(log.path, "more", { flag: "a" });
    });
    expect(said.exit).toBe(1);
    expect(said.out).toContain(`longer: damaged: bytes stand behind record ${records}, the last one\n`);
  });

  it("says that the manifest is missing", async () => {
    const said = await verifyChanged("headless", (dir) => rmSync(join(dir, "session.json")));
    expect(said).toEqual({
      exit: 1,
      out: `headless: no-manifest: the manifest is missing or unreadable\n${putBack}`,
    });
  });

  it("says of an unknown session where it looked", async () => {
    const unknown = "s000000000000";
    expect(await terminal.run("verify", unknown)).toEqual({
      exit: 2,
      out: `${unknown}: there is no session in ${join(terminal.sessions, unknown)}\n`,
    });
    const said = await terminal.run("verify", "nothing-here");
    const place = join(terminal.repository, "nothing-here");
    expect(said.exit).toBe(2);
    expect(said.out).toContain(`there is no session in ${place}, and it is no name of one in`);
  });
});

describe("resume", () => {
  it("refuses a damaged log with its code, and leaves every byte where it is", async () => {
    const dir = join(terminal.sessions, session);
    const { path, bytes } = logAt(dir);
    const flipped = Buffer.from(bytes);
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    writeFileSync(path, flipped);
    const { exit, out } = await terminal.run("resume", session, "--max-turns", "9");
    expect(exit, out).toBe(1);
    expect(out).toContain("refused (damaged): Record 1 at byte 0 ");
    expect(readFileSync(path).equals(flipped)).toBe(true);
    writeFileSync(path, bytes);
  });

  it("begins nothing from a log whose first record is torn, and says what to do", async () => {
    const dir = join(terminal.sessions, session);
    const { path, bytes } = logAt(dir);
    const manifest = readFileSync(join(dir, "session.json"), "utf8");
    const first = bytes.subarray(0, 99);
    const next = { seq: 1, hash: "1".repeat(32) };
    const open = { status: "open", next, acked: { seq: 0, hash: "0".repeat(32) } };
    writeFileSync(join(dir, "session.json"), JSON.stringify({ ...JSON.parse(manifest), ...open }));
    writeFileSync(path, first);
    const { exit, out } = await terminal.run("resume", session, "--max-turns", "9");
    expect(exit, out).toBe(1);
    expect(out).toContain("refused (not-found): Nothing was done, so begin again with run: ");
    expect(out).toContain(`session ${session}: kept in `);
    expect(readFileSync(path).equals(first)).toBe(true);
    writeFileSync(path, bytes);
    writeFileSync(join(dir, "session.json"), manifest);
  });

  it("cuts a torn record, says so, keeps aside what it cut and goes on", async () => {
    const dir = join(terminal.sessions, session);
    const log = logAt(dir);
    const at = log.startOf(log.records);
    const torn = log.bytes.subarray(at, at + 9);
    writeFileSync(log.path, log.bytes.subarray(0, at + torn.length));
    openAgain(dir, log);
    expect(basename(dir)).toBe(session);
    const { exit, out } = await terminal.run("resume", session, "--max-turns", "9");
    expect(exit, out).toBe(0);
    expect(out).toContain("the log's last record was torn; 9 bytes were cut and are kept aside\n");
    expect(out).toContain("no-change");
    const sha256 = digestOf(torn);
    const repaired = eventsOf(terminal, session).filter((event) => event.type === "log.repaired");
    expect(repaired).toEqual([{ type: "log.repaired", cutBytes: 9, sha256 }]);
    expect(readFileSync(join(dir, `torn-${sha256}`)).equals(torn)).toBe(true);
    expect((await terminal.run("verify", session)).out).toContain("generation 2, ended (no-change)");
  });
});

/** The manifest as it stood before the last record was appended: what a kill in the middle of that append leaves. */
function openAgain(dir: string, { bytes, records, startOf }: Log): void {
  const path = join(dir, "session.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const headOf = (seq: number): unknown => {
    const line = JSON.parse(bytes.subarray(startOf(seq), startOf(seq + 1)).toString()) as { hash: string };
    return { seq, hash: line.hash };
  };
  const open = { ...manifest, status: "open", next: headOf(records), acked: headOf(records - 1) };
  writeFileSync(path, JSON.stringify(open));
}
