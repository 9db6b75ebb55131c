import { type ChildProcess, spawn } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AnswerTo, type Ask, type AskOptions, type AskType, Channel, SandboxLost } from "./channel.ts";
import { endSandbox, removeTree, type SandboxProcess, sandboxProcess } from "./end.ts";
import { type EnterOptions, enterScript, inside, mountTable, type Uids } from "./enter.ts";
import { type SandboxKind, systemPath, systemProgram } from "./kind.ts";
import type { SupervisorPlan } from "./protocol.ts";
import { type View, viewOf } from "./view.ts";

/** What is the same for every sandbox of a run. */
export type SandboxGround = {
  readonly kind: SandboxKind;
  /** The node binary, and the toolhost: `entry` is relative to `dir`, which is seen inside. */
  readonly node: string;
  readonly toolhost: { readonly dir: string; readonly entry: string };
  /** PATH and LANG of the host, and the variables that the maintainer declared for commands. */
  readonly path: string;
  readonly lang: string | null;
  readonly declared: Readonly<Record<string, string>>;
  /** Directories of which nothing is seen: HOME, RUNNER_TEMP, the runner's workspace. Absolute. */
  readonly masked: readonly string[];
  /** Directories seen read-only although they lie in a masked one, such as RUNNER_TOOL_CACHE. */
  readonly visible: readonly string[];
  /**
   * Told the outermost process of each sandbox as soon as there is one, so that a later process can end what this one
   * leaves behind; what it gives is closed when the sandbox has ended.
   */
  readonly record?: (process: SandboxProcess) => Promise<AsyncDisposable | null>;
};

/** Absolute paths of directories that exist. Commands own what is in `workspace` and `home` from then on. */
export type SandboxPlace = {
  readonly workspace: string;
  readonly home: string;
  /** For private files of this sandbox; they are removed at the end. */
  readonly scratch: string;
};

export type SandboxOptions = SandboxGround &
  SandboxPlace & {
    /** With `host` the network is the machine's; else there is none but an own loopback. */
    readonly network: "none" | "host";
    /** Whether a process for tools is kept ready. Without it only commands run. */
    readonly tools: boolean;
  };

/** A running sandbox. When this process ends, however it ends, so does the sandbox with all that runs in it. */
export type Sandbox = AsyncDisposable & {
  readonly kind: SandboxKind;
  /** Its outermost process: another one ends it with `endSandbox`. */
  readonly process: SandboxProcess;
  /** Resolves with the answer once nothing of the request can write any more. Throws `SandboxLost`. */
  readonly ask: <T extends AskType>(request: Ask<T>, options: AskOptions) => Promise<AnswerTo<T>>;
  /** Gives files that were written from outside to commands. Only while nothing runs. */
  readonly own: () => Promise<void>;
};

const readyMsMax = 20_000;
const endMsMax = 1_000;
const complaintBytesMax = 8 * 1024;
const supervisorUid = 64533;
const commandUid = 64534;

/** Throws `SandboxLost`, with what the system said, when it cannot be made. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const place = mkdtempSync(join(options.scratch, "sandbox-"));
  const { argv, uids } = options.kind === "off" ? plainArgv(options, place) : namespaceArgv(options, place);
  const [file = "", ...args] = argv;
  // A session of its own: a Ctrl-C in a terminal is for the broker, which then ends the sandbox in order.
  const child = spawn(file, args, { cwd: "/", env: { PATH: systemPath }, stdio: "pipe", detached: true });
  const complaint = collectComplaint(child);
  const channel = new Channel(child.stdin, child.stdout, () => child.stdin.destroy());
  child.once("error", (error) => channel.lose(error.message));
  child.once("close", (code, signal) => {
    channel.lose(
      [`it ended (${signal ?? `exit ${code}`})`, complaint()].filter((text) => text !== "").join(": "),
    );
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  const own = () => giveTo(uids, [options.workspace, options.home]);
  const outermost = child.pid === undefined ? null : sandboxProcess(child.pid);
  const recorded = outermost === null ? null : (options.record?.(outermost) ?? null);
  const close = async () => {
    child.stdin.destroy();
    await Promise.race([ended, sleep(endMsMax, null, { ref: false })]);
    if (outermost !== null) await endSandbox(outermost);
    await (await recorded?.catch(() => null))?.[Symbol.asyncDispose]();
    await removeTree(place);
  };
  try {
    await Promise.all([within(channel.ready, readyMsMax), own(), recorded]);
    if (outermost === null) throw new SandboxLost("the sandbox has no process");
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: options.kind,
    process: outermost,
    ask: (request, asked) => channel.ask(request, asked),
    own,
    [Symbol.asyncDispose]: close,
  };
}

/** Without namespaces: the same process, the same protocol, paths of the host. */
function plainArgv(options: SandboxOptions, place: string) {
  const tmp = join(place, "tmp");
  mkdirSync(tmp);
  const entry = join(options.toolhost.dir, options.toolhost.entry);
  const env = { ...commandEnv(options, options.path), HOME: options.home, TMPDIR: tmp };
  const base = { root: options.workspace, tmp, env };
  const plan: SupervisorPlan = {
    ...base,
    drop: [],
    outerPidNamespace: null,
    fifo: null,
    worker: options.tools ? [options.node, entry, "tools", JSON.stringify(base)] : null,
  };
  return { argv: [options.node, "--disable-sigusr1", entry, "supervise", JSON.stringify(plan)], uids: null };
}

function namespaceArgv(options: SandboxOptions, place: string) {
  const named = Object.values(options.declared);
  const view = viewOf({ path: options.path, visible: options.visible, masked: options.masked, named });
  const { supervisor, command } = uidsOf(options.kind);
  const newRoot = join(place, "root");
  mkdirSync(newRoot);
  const enter: EnterOptions = {
    view,
    place,
    newRoot,
    workspace: options.workspace,
    home: options.home,
    git: lstatSync(join(options.workspace, ".git"), { throwIfNoEntry: false })?.isSymbolicLink() === false,
    node: options.node,
    toolhostDir: options.toolhost.dir,
    over: accountFiles(place, command),
    resolver: resolverOutsideEtc(),
    supervisor,
    argv: supervisorArgv(options, view, command),
  };
  writeFileSync(join(place, "mounts"), mountTable(enter));
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", ...(options.network === "none" ? ["--net"] : [])];
  const script = ["sh", "-c", enterScript(enter)];
  // If this process is killed, so is `unshare`, and with it the namespace, even if its supervisor hung.
  const tied = ["setpriv", "--pdeathsig=KILL", "unshare", ...namespaces, "--fork", "--kill-child", ...script];
  const argv = [...prefixOf(options.kind), ...tied];
  return { argv: absolute(argv), uids: options.kind === "root" ? command : null };
}

function prefixOf(kind: SandboxKind): readonly string[] {
  if (kind === "sudo") return ["sudo", "-n", "--"];
  return kind === "userns" ? ["unshare", "--user", "--map-root-user", "--map-auto"] : [];
}

/** The first word, which `spawn` would otherwise look up in the PATH of this process. */
function absolute([first = "", ...rest]: readonly string[]): readonly string[] {
  return [systemProgram(first) ?? first, ...rest];
}

function supervisorArgv(options: SandboxOptions, view: View, { uid, gid }: Uids): readonly string[] {
  const entry = join(inside.host, options.toolhost.entry);
  const base = {
    root: inside.root,
    tmp: inside.tmp,
    env: { ...commandEnv(options, view.path), HOME: inside.home, TMPDIR: inside.tmp },
  };
  const plan: SupervisorPlan = {
    ...base,
    drop: [
      "setpriv",
      `--reuid=${uid}`,
      `--regid=${gid}`,
      "--clear-groups",
      "--no-new-privs",
      "--inh-caps=-all",
      "--ambient-caps=-all",
      "--bounding-set=-all",
      "--",
    ],
    outerPidNamespace: readlinkSync("/proc/self/ns/pid"),
    fifo: inside.fifo,
    worker: options.tools ? [inside.node, entry, "tools", JSON.stringify(base)] : null,
  };
  return [inside.node, "--disable-sigusr1", entry, "supervise", JSON.stringify(plan)];
}

function commandEnv(options: SandboxGround, path: string): Record<string, string> {
  const lang = options.lang ?? "C.UTF-8";
  return { LANG: lang, TERM: "dumb", CI: "true", ...options.declared, PATH: path };
}

function uidsOf(kind: SandboxKind): { readonly supervisor: Uids; readonly command: Uids } {
  if (kind === "userns") return { supervisor: { uid: 1, gid: 1 }, command: { uid: 0, gid: 0 } };
  const supervisor = { uid: supervisorUid, gid: supervisorUid };
  if (kind === "root") return { supervisor, command: { uid: commandUid, gid: commandUid } };
  return {
    supervisor,
    command: { uid: process.getuid?.() ?? commandUid, gid: process.getgid?.() ?? commandUid },
  };
}

/** Programs ask who they are and what this machine is called; unanswered, some of them stop. */
function accountFiles(place: string, { uid, gid }: Uids): EnterOptions["over"] {
  const lines = {
    "/etc/passwd": `baton:x:${uid}:${gid}::${inside.home}:/bin/sh\n`,
    "/etc/group": `baton:x:${gid}:\n`,
    "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
  };
  return Object.entries(lines).flatMap(([to, line]) => {
    if (lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true) return [];
    const from = join(place, basename(to));
    writeFileSync(from, line + readFileSync(to, "utf8"), { mode: 0o644 });
    return [{ from, to }];
  });
}

function resolverOutsideEtc(): string | null {
  try {
    const path = realpathSync("/etc/resolv.conf");
    return dirname(path) === "/etc" ? null : path;
  } catch {
    return null;
  }
}

function collectComplaint(child: ChildProcess): () => string {
  let complaint = Buffer.alloc(0);
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = Buffer.concat([complaint, chunk]).subarray(-complaintBytesMax);
  });
  return () => complaint.toString("utf8").trim();
}

/** By the system's own program: it walks much faster, follows no link, and does not block this process. */
function giveTo(uids: Uids | null, dirs: readonly string[]): Promise<void> {
  if (uids === null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const args = ["-R", "-h", `${uids.uid}:${uids.gid}`, "--", ...dirs];
    const child = spawn(systemProgram("chown") ?? "chown", args, {
      stdio: "ignore",
      env: { PATH: systemPath },
    });
    const failed = (cause: unknown) =>
      reject(new SandboxLost(`the sandbox was not given ${dirs.join(", ")}`, { cause }));
    child.once("error", failed);
    child.once("close", (code) => (code === 0 ? resolve() : failed(`chown ended with ${code}`)));
  });
}

async function within<T>(promise: Promise<T>, msMax: number): Promise<T> {
  const timer = new AbortController();
  const late = sleep(msMax, null, { signal: timer.signal }).then(() => {
    throw new SandboxLost(`the sandbox did not start within ${msMax / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
