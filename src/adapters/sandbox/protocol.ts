import type { PlanItem } from "../../session/event.ts";

/** Newline-delimited JSON over the supervisor's stdin. The supervisor trusts it: only the broker holds the other end. */
export type Request =
  | {
      readonly type: "call";
      readonly id: number;
      /** After an exclusive call every process but the supervisor is gone before the answer is sent. */
      readonly exclusive: boolean;
      readonly msMax: number;
      /** The call's own id, which the tool names where it cuts its output. */
      readonly callId: string;
      readonly tool: string;
      readonly arguments: unknown;
      readonly attachment: string | null;
    }
  | {
      readonly type: "command";
      readonly id: number;
      readonly command: string;
      /** Relative to the workspace; "" is its root. */
      readonly dir: string;
      readonly msMax: number;
      readonly outputBytesMax: number;
    }
  | { readonly type: "probe"; readonly id: number; readonly targets: ProbeTargets }
  | { readonly type: "abort"; readonly id: number };

/** What comes back. The broker takes every byte of it as data, see `answer.ts`. */
export type Answer =
  | { readonly type: "ready" }
  | { readonly type: "output"; readonly id: number; readonly text: string }
  | {
      readonly type: "outcome";
      readonly id: number;
      readonly status: "ok" | "error" | "killed";
      readonly output: string;
      readonly whole: string | null;
      readonly plan: readonly PlanItem[] | null;
    }
  | {
      readonly type: "ended";
      readonly id: number;
      /** Null when it was killed by the time limit or an abort. */
      readonly exitCode: number | null;
      readonly timedOut: boolean;
      readonly cancelled: boolean;
      readonly ms: number;
      readonly output: string;
    }
  | { readonly type: "probed"; readonly id: number; readonly reached: Reached };

/** What the probe tries to reach. All of it lies outside the sandbox. */
export type ProbeTargets = {
  /** A random text that stands in the environment and the command line of a process outside, and in `files`. */
  readonly key: string;
  readonly files: readonly string[];
  /** Directories in which the probe tries to make a file. */
  readonly writable: readonly string[];
  /** Port of a listener on 127.0.0.1 and name of an abstract socket; null where the network is shared on purpose. */
  readonly port: number | null;
  readonly abstractSocket: string | null;
};

/** What the probe did reach, each as a list of names so that a refusal can say which. */
export type Reached = {
  readonly process: boolean;
  readonly files: readonly string[];
  readonly written: readonly string[];
  readonly port: boolean;
  readonly abstractSocket: boolean;
  /** Whether the process that reports can be read or signalled by what it runs. */
  readonly supervisor: boolean;
  /** Whether any capability, or the way to new ones, is left. */
  readonly privileges: boolean;
  /** Network devices other than `lo`. */
  readonly devices: readonly string[];
  /** Whether a server on the sandbox's own 127.0.0.1 can be reached. */
  readonly loopback: boolean;
};

/** How the supervisor is started: one JSON text in its argv. Commands can read it, so nothing secret is in it. */
export type SupervisorPlan = {
  readonly root: string;
  readonly tmp: string;
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that turn `program args…` into one with the rights of commands; empty without a sandbox. */
  readonly drop: readonly string[];
  /** The broker's pid namespace: killing all processes is refused inside that one. Null without a sandbox. */
  readonly outerPidNamespace: string | null;
  /** A fifo for the output of commands, so that /dev/stdout can be opened by them; null: a socket. */
  readonly fifo: string | null;
  /** Whether a process for tools is started, and how. */
  readonly worker: readonly string[] | null;
};

export type WorkerPlan = Pick<SupervisorPlan, "root" | "tmp" | "env">;
