// The kill points of a process: its operations under names that are the same in every run of the story.
import { isRecord, isSpawn, type Operation, type Thread } from "./trace.ts";

/** What the names of a run's own files and peers are replaced by. */
export type Surroundings = {
  /** The machine's directory. */
  readonly machine: string;
  readonly session: string;
  /** By port on loopback. */
  readonly peers: Readonly<Record<string, string>>;
};

/** A process dies when it enters this operation, before it takes effect: that is right after the one before it. */
export type Point = {
  /**
   * What the operation is, behind which record of the log, and its how-manyeth of that kind there; of a record itself
   * and of what comes before the first, its how-manyeth within the process.
   */
  readonly name: string;
  readonly thread: Thread;
  readonly syscall: string;
  readonly nth: number;
  /** How many records stand before it, which the last of them is, and its count from that one on. */
  readonly behind: number;
  readonly record: RecordName | null;
  readonly since: Operation["since"];
  /**
   * For a write to a file of one name in every run, or to the job log: that name, and how many writes of the thread
   * went to it with this, in all and from the last record on.
   */
  readonly file: { readonly path: string; readonly nth: number; readonly since: number } | null;
  /** How many files the thread had opened before. */
  readonly opens: number;
  /** Whether it is a write to any other file by the script's thread, which opens it right before. */
  readonly isOpened: boolean;
  /** Whether it can be told when the machine is gone: it speaks to somebody outside, or starts a command that may. */
  readonly leaves: boolean;
};

/** A record of the log: its type, and its how-manyeth of that type within the process. */
export type RecordName = { readonly type: string; readonly nth: number };

/** Every operation as a point, in order. */
export function pointsOf(operations: readonly Operation[], around: Surroundings): readonly Point[] {
  const times = new Map<string, number>();
  const next = (what: string): number => {
    const time = (times.get(what) ?? 0) + 1;
    times.set(what, time);
    return time;
  };
  let record: RecordName | null = null;
  const nameFor = (operation: Operation): string => {
    const what = describe(operation, around);
    if (!isRecord(operation)) {
      if (record === null) return `${what} #${next(what)}`;
      const where = `behind ${record.type} #${record.nth}`;
      return `${what} #${next(`${what} ${where}`)} ${where}`;
    }
    const nth = next(what);
    record = { type: /\(([\w.]+)\)$/.exec(what)?.[1] ?? "a record", nth };
    return `${what} #${nth}`;
  };
  return operations.map((operation) => {
    const { thread, syscall, nth, behind, since, opens } = operation;
    const named = fileIn(operation, around);
    const writes = `${thread} ${syscall} ${named}`;
    const file =
      named === null ? null : { path: named, nth: next(writes), since: next(`${writes} behind ${behind}`) };
    const isOpened = file === null && isWriteOfOwn(operation);
    const at = { behind, record, since, file, opens, isOpened };
    return { name: nameFor(operation), thread, syscall, nth, ...at, leaves: leaves(operation) };
  });
}

function isWriteOfOwn({ thread, syscall, args }: Operation): boolean {
  return thread === "own" && syscall === "write" && /^\d+<\//.test(args);
}

/** Stands for the runner's end of standard output. */
export const jobLog = "<job log>";

/** The log of the session, where records are written. */
export const sessionLog = "<machine>/work/_temp/agent/<session>/events.jsonl";

function fileIn({ args }: Operation, around: Surroundings): string | null {
  if (args.startsWith("1<")) return jobLog;
  const path = /^\d+<(\/[^>]*)/.exec(args)?.[1];
  return path === undefined ? null : nameOf(path, around);
}

/** The path of a file in terms of what differs from run to run; null where more than that differs. */
function nameOf(path: string, { machine, session }: Surroundings): string | null {
  const named = path.replace(machine, "<machine>").replaceAll(session, "<session>");
  const differs = settle(path, { machine, session, peers: {} }).replaceAll("<session>", "").includes("<");
  return differs || path.endsWith(".tmp") ? null : named;
}

/** What `nameOf` named, in another run. */
export function pathOf(
  named: string,
  { machine, session }: Pick<Surroundings, "machine" | "session">,
): string {
  return named.replace("<machine>", machine).replaceAll("<session>", session);
}

/** Of writes to the job log that follow one another the first: dying between them is seen in the log alone. */
export function withoutRepeatedLog(points: readonly Point[]): readonly Point[] {
  return points.filter(({ name }, i) => !isLog(name) || !isLog(points[i - 1]?.name ?? ""));
}

/** Looks at what is new on a thread are made when their time has come: how many there are is chance. */
export function withoutLooks(points: readonly Point[]): readonly Point[] {
  return points.filter(({ name }) => !name.startsWith(`send ${look}`));
}

const look = "a look at new comments";
const log = "write to the job log";

function isLog(name: string): boolean {
  return name.startsWith(log);
}

function leaves({ syscall, args }: Operation): boolean {
  return (
    /^\d+<(TCP|UNIX)/.test(args.replace(/^[12]</, "")) || (syscall === "connect" && args.includes("AF_INET"))
  );
}

function describe(operation: Operation, around: Surroundings): string {
  const { syscall, args } = operation;
  if (isSpawn(operation)) return "spawn";
  if (syscall === "connect") return `connect to ${peerIn(args, around)}`;
  const target = /^\d+<((?:TCP|UNIX)[^\]]*\]|[^>]*)/.exec(args)?.[1] ?? "";
  if (/^[12]</.test(args)) return `${log}: ${wordsIn(args.replaceAll(around.session, ""))}`;
  if (target.startsWith("TCP")) return `send ${requestIn(args, around)} to ${peerOf(target, around)}`;
  if (target.startsWith("UNIX")) return `tell a child ${messageIn(args)}`;
  const path = target.startsWith("/") ? target : (/"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? target);
  const record = /\\"event\\":\{\\"type\\":\\"([\w.]+)/.exec(args)?.[1];
  return `${verbOf(syscall)} ${settle(path, around)}${record === undefined ? "" : ` (${record})`}`;
}

/** The first words of a line, or the command that it gives to the runner. */
function wordsIn(args: string): string {
  const text = /, "((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? "";
  const [command] = /^::[\w-]+/.exec(text) ?? [];
  if (command === "::add-mask") return command;
  const words = text.replace(/\\n.*|https?:.*/, "").match(/[A-Za-z]+/g) ?? [];
  return words.slice(0, 4).join(" ");
}

function verbOf(syscall: string): string {
  if (/^p?write/.test(syscall)) return "write";
  if (/^(fsync|fdatasync)$/.test(syscall)) return "sync";
  return syscall.replace(/(at2?|64)$/, "");
}

function peerIn(args: string, around: Surroundings): string {
  const port = /sin6?_port=htons\((\d+)\)/.exec(args)?.[1];
  if (port === undefined) return "a unix socket";
  return around.peers[port] ?? "another port";
}

function peerOf(target: string, { peers }: Surroundings): string {
  const port = /->.*:(\d+)\]?$/.exec(target)?.[1] ?? "";
  return peers[port] ?? "another port";
}

/** The method and the path without what differs from run to run; a piece that begins no request is a body. */
function requestIn(args: string, around: Surroundings): string {
  const head =
    /"((?:GET|POST|PUT|PATCH|DELETE|HEAD) [^ "?]+)[^"]*HTTP|"((?:GET|POST|PUT|PATCH|DELETE|HEAD) [^ "?]+)/.exec(
      args,
    );
  if (/"GET [^ "]+\/comments\?[^ "]*since=/.test(args)) return look;
  const text = head?.[1] ?? head?.[2];
  if (text === undefined) return "more";
  return decoded(text)
    .replaceAll(around.session, "<session>")
    .replace(/[0-9a-f]{40}/g, "<sha>")
    .replace(/\d+/g, "<n>");
}

function decoded(text: string): string {
  return text.replaceAll("%2F", "/").replaceAll("%3A", ":");
}

function messageIn(args: string): string {
  const type = /\\"type\\":\\"([\w.-]+)/.exec(args)?.[1];
  if (type !== undefined) return type;
  return /"[0-9a-f]{40}/.test(args) ? "an object's name" : "something";
}

function settle(path: string, { machine, session }: Surroundings): string {
  return path
    .replace(machine, "")
    .replaceAll(session, "<session>")
    .replace(/^\/work\/_temp\//, "")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
    .replace(/runs\/[\d.]+-[0-9a-f]+/, "<run>")
    .replace(/\b(shipment|sandbox|probe|check)-\w{6}\b/g, "$1-<id>")
    .replace(/agent-session-<session>-[\d.-]+/, "<shipment>")
    .replace(/\.probe-[\w-]+/, ".probe")
    .replace(/[0-9a-f]{40,64}/g, "<digest>")
    .replace(/objects\/[0-9a-f]{2}(\/[0-9a-f]{38})?/, "objects/<digest>")
    .replace(/lock\.[^/]+\.tmp$/, "lock.tmp")
    .replace(/\.\d+\.tmp$/, ".tmp")
    .replace(/tmp_\w+/, "<tmp>")
    .replace(/\.[ab]\.tmp$/, ".tmp");
}
