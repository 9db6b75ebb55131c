import type { ChildProcess } from "node:child_process";
import { lineReader } from "./lines.ts";
import type { Answer, Request } from "./protocol.ts";

type Message = Exclude<Answer, { type: "ready" | "ended" }>;

const complaintBytesMax = 4096;

/** The process in which tools run, seen from the supervisor. It may have been taken over: what it says is data. */
export class ToolProcess {
  readonly #child: ChildProcess;

  constructor(
    child: ChildProcess,
    options: { readonly onMessage: (message: Message) => void; readonly onEnd: (why: string) => void },
  ) {
    this.#child = child;
    let complaint = Buffer.alloc(0);
    const read = lineReader({
      onLine: (line) => {
        const message = parseMessage(line);
        if (message !== null) options.onMessage(message);
      },
      onOverflow: () => options.onEnd("The tool's answer was too large."),
    });
    child.stdout?.on("data", read);
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = Buffer.concat([complaint, chunk]).subarray(-complaintBytesMax);
    });
    child.stdin?.on("error", ignore);
    child.once("error", (error) => options.onEnd(`The tools could not be started: ${error.message}`));
    // `close` and not `exit`: an answer written just before the end still counts.
    child.once("close", (code, signal) => {
      options.onEnd(
        `The tool's process ended (${signal ?? `exit ${code}`}). ${complaint.toString("utf8")}`.trim(),
      );
    });
  }

  send(request: Request): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
  }
}

/** The outer shape only; the broker checks the rest. */
function parseMessage(line: string): Message | null {
  try {
    const value = JSON.parse(line) as Partial<Message> | null;
    if (value === null || typeof value !== "object" || typeof value.id !== "number") return null;
    if (value.type === "output") return typeof value.text === "string" ? (value as Message) : null;
    return value.type === "outcome" || value.type === "probed" ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** The end of the process is reported by `close`; a write that came too late says nothing new. */
function ignore(): void {}
