// The demo's second opinion. It shares no code with Baton: it reads shipments by their written format, clones from the
// git server with git itself, and runs the checks with a plain shell.
//
//   node audit.mjs <request.json>
//
// The request: `git` (URL), `base` (sha), `branch` (name or null), `check` (command), `modules` (a folder
// named node_modules: what `npm ci` would make), `artifacts` (files, oldest first), `secret` and `repositoryId` (of which the seal's
// key is made), `runs` (ids of the first and the second run), `killedAt` (ms), `journal` (file), `work` (an empty
// folder), `session` (where the session's files are left). Prints one JSON object; ends with 0 when everything holds.
import { execFileSync, spawnSync } from "node:child_process";
import { createDecipheriv, hkdfSync } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

const request = JSON.parse(readFileSync(process.argv[2], "utf8"));
const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
const quiet = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" };
const environment = { PATH: path, HOME: request.work, LC_ALL: "C", ...quiet };

const shipments = request.artifacts.map((file) => unseal(readFileSync(file)));
const first = shipments.filter(({ header }) => header.run.id === String(request.runs[0]));
const before = recordsOf(first);
const all = recordsOf(shipments);
const journal = readFileSync(request.journal, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const after = journal.filter(({ at }) => at > request.killedAt);

const report = {
  ...countCalls(),
  ...compareTrees(),
  ...judgeBranch(),
  ...readGate(),
  logContinued: continues(),
};
keepSession();
process.stdout.write(`${JSON.stringify(report)}\n`);
const {
  callsRepeated,
  callsCounted,
  treeRestored,
  redOnBase,
  greenOnBranch,
  gateMatchesBranch,
  logContinued,
} = report;
const counted = request.journalled === false || (callsRepeated === 0 && callsCounted > 0);
const holds = counted && treeRestored && redOnBase && greenOnBranch && gateMatchesBranch && logContinued;
process.exitCode = holds ? 0 : 1;

/** Magic, header length, header, nonce, AES-256-GCM with the header as associated data, tag; inside, gzip. */
function unseal(bytes) {
  const at = 12 + bytes.readUInt32BE(8);
  const header = JSON.parse(bytes.toString("utf8", 12, at));
  const key = hkdfSync("sha256", request.secret, "", `agent-session/v1/seal/${request.repositoryId}`, 32);
  const cipher = createDecipheriv("aes-256-gcm", new Uint8Array(key), bytes.subarray(at, at + 12));
  cipher.setAAD(bytes.subarray(0, at)).setAuthTag(bytes.subarray(-16));
  const plain = gunzipSync(Buffer.concat([cipher.update(bytes.subarray(at + 12, -16)), cipher.final()]));
  let offset = plain.indexOf(10) + 1;
  const entries = new Map();
  for (const { name, bytes: size } of JSON.parse(plain.toString("utf8", 0, offset))) {
    entries.set(name, plain.subarray(offset, offset + size));
    offset += size;
  }
  return { header, entries };
}

/** The records in order, each with its raw line. A later generation's record takes the place of an earlier one's. */
function recordsOf(list) {
  const bySeq = new Map();
  const order = [...list].sort((a, b) => a.header.gen - b.header.gen || a.header.number - b.header.number);
  for (const { entries } of order) {
    for (const line of entries.get("log").toString("utf8").split("\n").filter(Boolean)) {
      const record = JSON.parse(line);
      bySeq.set(record.seq, { ...record, line });
    }
  }
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** The text of a payload, which stands in a blob when it is long. */
function textOf(payload) {
  if (payload.type === "inline") return payload.text;
  const name = `blob/${payload.sha256}`;
  return shipments
    .find(({ entries }) => entries.has(name))
    .entries.get(name)
    .toString("utf8");
}

/** Calls that a shipment of the first run holds as settled, and how many of them wrote to the journal again. */
function countCalls() {
  const intended = before.flatMap(({ event }) => (event.type === "calls.intended" ? event.calls : []));
  const settled = before.filter(({ event }) => event.type === "call.settled").map(({ event }) => event.id);
  const labels = intended.flatMap((call) => {
    const command = call.tool === "shell" ? JSON.parse(textOf(call.arguments)).command : "";
    const label = /^echo "?([\w-]+)/.exec(command)?.[1];
    return label !== undefined && settled.includes(call.id) ? [label] : [];
  });
  const ran = (label, lines) => lines.filter((line) => line.label === label).length;
  return {
    callsSettledBefore: settled.length,
    callsCounted: labels.filter((label) => ran(label, journal) > 0).length,
    callsRepeated: labels.filter((label) => ran(label, after) > 0).length,
  };
}

/**
 * The last tree that left the first machine, against what the second machine had before the model changed anything:
 * as its log says, and as a tool process there measured the files.
 */
function compareTrees() {
  const sealed = treesOf(before).at(-1);
  const settledAfter = treesOf(all.filter(({ gen, event }) => gen > 1 && event.type === "call.settled"));
  const treeBeforeKill = sealed ?? null;
  const treeAfterResume = settledAfter[0] ?? null;
  const said = after.find(({ detail }) => /^[0-9a-f]{16}$/.test(detail))?.detail ?? null;
  const measured = sealed === undefined ? null : fingerprint(sealed);
  const asMeasured = request.journalled === false || (said !== null && said === measured);
  return {
    treeBeforeKill,
    treeAfterResume,
    changedBefore: sealed === undefined ? [] : changedIn(sealed),
    treeRestored: treeBeforeKill !== null && treeBeforeKill === treeAfterResume && asMeasured,
  };
}

function treesOf(records) {
  return records.flatMap(({ event }) => {
    const sealed = event.type === "call.settled" || event.type === "setup.settled";
    return sealed && event.tree !== null ? [event.tree] : [];
  });
}

/** Lays the shipped tree out with git and measures it by the very line that the scripted call runs. */
function fingerprint(tree) {
  const repository = clone("shipped");
  for (const { entries } of first) {
    if (entries.has("pack")) git(repository, ["unpack-objects", "-q"], entries.get("pack"));
  }
  const files = join(request.work, "tree");
  mkdirSync(files);
  git(repository, ["read-tree", tree]);
  git(repository, ["checkout-index", "--all", `--prefix=${files}/`]);
  const line =
    "find . -name .git -prune -o -name node_modules -prune -o -type f -print | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16";
  return execFileSync("sh", ["-c", line], { cwd: files, env: environment, encoding: "utf8" }).trim();
}

function changedIn(tree) {
  const names = git(join(request.work, "shipped"), ["diff", "--name-only", request.base, tree]);
  return names.split("\n").filter(Boolean);
}

/** Runs the checks on the base, on the base with the branch's tests, and on the branch. */
function judgeBranch() {
  const none = { baseGreen: null, redOnBase: false, greenOnBranch: false, tests: [] };
  if (request.branch === null) return none;
  const base = clone("base");
  const head = git(base, ["rev-parse", `origin/${request.branch}`]);
  git(base, ["checkout", "--quiet", "--detach", request.base]);
  const baseGreen = check(base).exit === 0;
  const changed = git(base, ["diff", "--name-only", "--diff-filter=d", request.base, head])
    .split("\n")
    .filter(Boolean);
  const tests = changed.filter((name) => name.startsWith("test/"));
  if (tests.length > 0) git(base, ["checkout", "--quiet", head, "--", ...tests]);
  const onBase = check(base);
  const branch = clone("branch");
  git(branch, ["checkout", "--quiet", "--detach", head]);
  const onBranch = check(branch);
  return {
    baseGreen,
    tests,
    // Red by an assertion, on a base that is green without the new tests: not by a broken machine.
    redOnBase: baseGreen && tests.length > 0 && onBase.exit === 1 && /^not ok /m.test(onBase.output),
    greenOnBranch: onBranch.exit === 0,
    assertions: Number(/^# pass +(\d+)/m.exec(onBranch.output)?.[1] ?? 0),
    head,
  };
}

function check(folder) {
  rmSync(join(folder, "node_modules"), { force: true });
  symlinkSync(request.modules, join(folder, "node_modules"));
  const { status, stdout } = spawnSync("sh", ["-c", request.check], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { exit: status, output: stdout };
}

/** How often the gate judged, and whether the tree it passed last is the one that the branch holds. */
function readGate() {
  const gate = all.filter(({ event }) => event.type === "gate.passed" || event.type === "gate.failed");
  const rounds = gate.map(({ event, at }) => ({ round: event.round, verdict: event.type.slice(5), at }));
  const passed = gate.map(({ event }) => event).findLast(({ type }) => type === "gate.passed");
  const branch = join(request.work, "branch");
  const head = request.branch === null ? null : git(branch, ["rev-parse", "HEAD^{tree}"]);
  return {
    gate: rounds,
    gateRounds: new Set(rounds.map(({ round }) => round)).size,
    gateMatchesBranch: head !== null && passed?.tree === head,
  };
}

/** The second run wrote after the very lines of the first: nothing was lost, nothing was rewritten. */
function continues() {
  return before.length > 0 && before.every(({ seq, line }) => all[seq - 1]?.line === line);
}

/** The log, the manifest and the blobs, as they lie on a machine. */
function keepSession() {
  mkdirSync(join(request.session, "blobs"), { recursive: true });
  writeFileSync(join(request.session, "events.jsonl"), all.map(({ line }) => `${line}\n`).join(""));
  for (const { entries } of shipments) {
    for (const [name, bytes] of entries) {
      if (name === "manifest") writeFileSync(join(request.session, "session.json"), bytes);
      if (name.startsWith("blob/")) writeFileSync(join(request.session, "blobs", name.slice(5)), bytes);
    }
  }
}

function clone(name) {
  const folder = join(request.work, name);
  git(request.work, ["clone", "--quiet", request.git, folder]);
  return folder;
}

function git(cwd, args, input) {
  const options = { cwd, env: environment, encoding: "utf8", input: input ?? "", maxBuffer: 1 << 28 };
  return execFileSync("git", args, options).trim();
}
