import type { LadderOptions } from "./cancel-ladder.ts";
import type { Annotation } from "./step-log.ts";
import type { WorkflowCommand } from "./workflow-command.ts";

export interface RunOptions {
  /** The directory that holds `action.yml`. */
  readonly actionDir: string;
  /** Default: the node that runs the test. */
  readonly node?: string;
  /** `with:` of the step, by input name. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event: Readonly<Record<string, unknown>>;
  readonly eventName: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly runId?: number;
  readonly runAttempt?: number;
  readonly job?: string;
  /** Default: `work/<name>/<name>` of the machine. Created empty if missing. */
  readonly workspace?: string;
  /** The directory that is the machine: home, temp, tools and workspace lie under it. Created if missing. */
  readonly machine: string;
  /** Variables on top of the runner's own; these win, so that a test can point them at its servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Values the log must not show. */
  readonly secrets?: readonly string[];
  /** Default: the event's sender. */
  readonly actor?: string;
  /** The job's token: what `${{ github.token }}` gives in defaults. Masked; never a variable by itself. */
  readonly githubToken?: string;
  /** What to do to the process when a line of its output (before masking) matches; each once, in order. */
  readonly plan?: readonly PlannedAct[];
  /** False: the post step does not run, as when the machine dies. Asked when main has ended; default true. */
  readonly post?: boolean | (() => boolean);
  /** A command that starts node in its place, as a tracer does: node and the script come as its last words. */
  readonly under?: { readonly main?: readonly string[]; readonly post?: readonly string[] };
  /** What node is told before the script. */
  readonly nodeFlags?: readonly string[];
  /** Called when main has ended and before post starts, which waits for it. */
  readonly afterMain?: (signal: NodeJS.Signals | null) => Promise<void>;
  readonly debug?: boolean;
  readonly sha?: string;
  /** Default: the head of the event's default branch. */
  readonly ref?: string;
  /** The action's own repository and ref. Default `octo-org/baton` and `v1`. */
  readonly action?: { readonly repository: string; readonly ref: string };
  readonly ladder?: LadderOptions;
  /** Milliseconds to wait for output held open by children after node has ended. Default 5000. */
  readonly drainMs?: number;
  /** Called with each line of the shown (masked) log. */
  readonly onLine?: (line: string) => void;
}

export interface PlannedAct {
  readonly after: string | RegExp;
  readonly do: NodeJS.Signals | "cancel" | "lose";
}

export interface RunResult {
  /** Of the main step: exit code, or null and the signal that ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Undefined when no post step ran; null when a signal ended it. */
  readonly postCode: number | null | undefined;
  /** Of the job, as its page would show it. */
  readonly conclusion: "success" | "failure" | "cancelled";
  readonly outputs: Readonly<Record<string, string>>;
  /** Markdown, masked. */
  readonly summary: string;
  /** What people see, main and post. */
  readonly log: string;
  /** What the steps wrote, unmasked, commands included. */
  readonly rawLog: string;
  readonly annotations: readonly Annotation[];
  readonly state: Readonly<Record<string, string>>;
  readonly exportedEnv: Readonly<Record<string, string>>;
  readonly commandsParsed: readonly WorkflowCommand[];
  /** Processes that still ran at the job's end and were killed then. */
  readonly orphans: readonly number[];
}

export interface Run {
  /** Of the node process of the step that runs now (main, then post). */
  readonly pid: number;
  readonly done: Promise<RunResult>;
  /** Signals node only, never its children. False when it has ended. */
  kill(signal: NodeJS.Signals): boolean;
  /** Cancels the job as the runner does: SIGINT, SIGTERM, SIGKILL to node only; post still runs. */
  cancel(): Promise<void>;
  /** Loses the machine: everything on it ends at once, its directory is deleted, no post runs. */
  lose(): Promise<RunResult>;
  /** Adds a listener for lines of the shown log from now on. */
  onLine(listener: (line: string) => void): void;
}
