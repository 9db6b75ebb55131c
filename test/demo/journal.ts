// What the tool processes themselves say, past Baton: they write lines into a named pipe that the demo reads.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";

export type JournalLine = {
  /** Wall time in milliseconds when the line was read. */
  readonly at: number;
  readonly label: string;
  /** What follows the label; empty where nothing does. */
  readonly detail: string;
};

export type DemoJournal = Disposable & {
  /** The directory that tools see (read-only, but a pipe can be written to all the same). */
  readonly dir: string;
  /** Every line with its time, one JSON object a line; on neither machine. */
  readonly file: string;
  readonly lines: readonly JournalLine[];
  /** Resolves with the first line of this label. */
  readonly seen: (label: string) => Promise<JournalLine>;
  /** Resolves when no process holds the pipe `alive` open any more, after one has. */
  readonly died: Promise<void>;
};

/** Makes the pipes `calls`, `alive` and `hold` in `dir`. The first is held open, so that no writer ever waits. */
export function openJournal(options: {
  readonly dir: string;
  readonly file: string;
  readonly onLine: (line: JournalLine) => void;
}): DemoJournal {
  const { dir, file, onLine } = options;
  mkdirSync(dir, { recursive: true });
  // The user that commands run as in the sandbox is none of this machine's.
  chmodSync(dir, 0o755);
  for (const name of ["calls", "alive", "hold"]) {
    execFileSync("mkfifo", [join(dir, name)]);
    chmodSync(join(dir, name), 0o666);
  }
  writeFileSync(file, "");
  const lines: JournalLine[] = [];
  const waiting = new Map<string, PromiseWithResolvers<JournalLine>>();
  const calls = readPipe(join(dir, "calls"), constants.O_RDWR);
  onLines(calls, (text) => {
    const line = lineOf(text);
    lines.push(line);
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    onLine(line);
    waiting.get(line.label)?.resolve(line);
  });
  const alive = readPipe(join(dir, "alive"), constants.O_RDONLY);
  const died = new Promise<void>((resolve) => {
    alive.once("end", resolve).resume();
  });
  return {
    dir,
    file,
    lines,
    died,
    seen: (label) => {
      const before = lines.find((line) => line.label === label);
      if (before !== undefined) return Promise.resolve(before);
      const wait = waiting.get(label) ?? Promise.withResolvers<JournalLine>();
      waiting.set(label, wait);
      return wait.promise;
    },
    [Symbol.dispose]: () => {
      release(join(dir, "hold"));
      calls.destroy();
      alive.destroy();
    },
  };
}

/** Lets go whoever still waits at the pipe: without a sandbox a command can outlive its run. */
function release(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
  }
}

function readPipe(path: string, mode: number): Socket {
  const fd = openSync(path, mode | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

function onLines(stream: Socket, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) take(part);
  });
}

function lineOf(text: string): JournalLine {
  const [label = "", ...rest] = text.split(" ");
  return { at: Date.now(), label, detail: rest.join(" ") };
}
