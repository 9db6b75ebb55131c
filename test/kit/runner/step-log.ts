import type { Masker } from "./masker.ts";
import { parseWorkflowCommand, type WorkflowCommand } from "./workflow-command.ts";

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  /** Masked, as people see it. */
  readonly message: string;
  /** `file`, `line`, `endline`, `col`, `endcolumn`, `title`, as written, keys in lower case. */
  readonly properties: Readonly<Record<string, string>>;
}

export interface StepLog {
  /** Takes one line of a step's output. */
  line(text: string): void;
  /** Adds an annotation of the runner's own. */
  annotate(level: Annotation["level"], message: string): void;
  /** What people see: commands carried out, secrets masked. */
  readonly shown: string[];
  /** What the step wrote, before anything was hidden. */
  readonly raw: string[];
  readonly annotations: Annotation[];
  /** Every command the parser saw, those in a stopped stretch excluded. */
  readonly commands: WorkflowCommand[];
  /** Set by the deprecated commands `set-output` and `save-state`. */
  readonly outputs: Map<string, string>;
  readonly state: Map<string, string>;
  /** True once a command was refused; the runner then fails the step whatever it exits with. */
  failed(): boolean;
}

const registered = new Set(
  `add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env
   set-output stop-commands warning`.split(/\s+/),
);

// These are never repeated in the log, whatever `echo` says.
const silent = new Set(["add-mask", "debug", "error", "notice", "stop-commands", "warning"]);

/** Carries out the workflow commands of a job's output (actions/runner, ActionCommandManager.cs). */
export function createStepLog(options: {
  readonly masker: Masker;
  readonly debug: boolean;
  readonly onLine?: ((shown: string) => void) | undefined;
}): StepLog {
  return new Log(options.masker, options.debug, options.onLine);
}

class Log implements StepLog {
  readonly shown: string[] = [];
  readonly raw: string[] = [];
  readonly annotations: Annotation[] = [];
  readonly commands: WorkflowCommand[] = [];
  readonly outputs = new Map<string, string>();
  readonly state = new Map<string, string>();
  readonly #masker: Masker;
  readonly #debug: boolean;
  readonly #onLine: ((shown: string) => void) | undefined;
  #echo = false;
  #failed = false;
  #resumeToken: string | undefined;

  constructor(masker: Masker, debug: boolean, onLine: ((shown: string) => void) | undefined) {
    this.#masker = masker;
    this.#debug = debug;
    this.#onLine = onLine;
  }

  failed(): boolean {
    return this.#failed;
  }

  line(text: string): void {
    this.raw.push(text);
    const token = this.#resumeToken;
    const isKnown = (name: string) => registered.has(name.toLowerCase()) || sameName(name, token);
    const command = parseWorkflowCommand(text, isKnown);
    if (!command || token !== undefined) {
      if (command && sameName(command.command, token)) this.#resumeToken = undefined;
      this.#show(text);
      return;
    }
    this.commands.push(command);
    if (this.#echo && !silent.has(command.command.toLowerCase())) this.#show(text);
    this.#carryOut(command, text);
  }

  annotate(level: Annotation["level"], message: string, properties: Annotation["properties"] = {}): void {
    this.#show(`##[${level}]${message}`);
    this.annotations.push({ level, message: this.#masker.mask(message), properties });
  }

  #carryOut(command: WorkflowCommand, text: string): void {
    const name = command.command.toLowerCase();
    switch (name) {
      case "error":
      case "warning":
      case "notice":
        this.annotate(name, command.data, command.properties);
        break;
      case "debug":
        if (this.#debug) this.#show(`##[debug]${command.data}`);
        break;
      case "add-mask":
        this.#addMask(command);
        break;
      case "stop-commands":
        this.#stop(command, text);
        break;
      case "group":
      case "endgroup":
        this.#show(`##[${name}]${name === "group" ? command.data : ""}`);
        break;
      case "set-output":
        this.#keep(this.outputs, command, text);
        break;
      case "save-state":
        this.#keep(this.state, command, text);
        break;
      case "set-env":
      case "add-path":
        this.#refuse(text, disabled(name));
        break;
      case "echo":
        this.#switchEcho(command, text);
        break;
      default:
        // Problem matchers change nothing that a test of an action looks at.
        break;
    }
  }

  #addMask({ data }: WorkflowCommand): void {
    if (data.trim() === "") {
      this.annotate("warning", "Can't add secret mask for empty string in ##[add-mask] command.");
      return;
    }
    if (this.#echo) this.#show("::add-mask::***");
    this.#masker.add(data);
  }

  #stop({ data }: WorkflowCommand, text: string): void {
    const invalid =
      data === "" || data.toLowerCase() === "pause-logging" || registered.has(data.toLowerCase());
    if (invalid) {
      this.#refuse(text, `Invalid stop-commands token: '${data}'`);
      return;
    }
    this.#show(text);
    this.#resumeToken = data;
    // A long token is a secret of its own from now on.
    if (data.length > 6) this.#masker.add(data);
  }

  #keep(into: Map<string, string>, { command, properties, data }: WorkflowCommand, text: string): void {
    const name = properties["name"];
    if (name === undefined) {
      this.#refuse(text, `Required field 'name' is missing in ##[${command}] command.`);
      return;
    }
    this.annotate("warning", `The \`${command}\` command is deprecated and will be disabled soon.`);
    into.set(name, data);
  }

  #switchEcho({ data }: WorkflowCommand, text: string): void {
    const value = data.trim().toUpperCase();
    if (value !== "ON" && value !== "OFF") {
      this.#refuse(text, `Invalid echo command value. Current value is: '${data}'.`);
      return;
    }
    this.#echo = value === "ON";
  }

  #refuse(text: string, why: string): void {
    this.#failed = true;
    this.annotate("error", `Unable to process command '${text}' successfully.`);
    this.annotate("error", why);
  }

  #show(text: string): void {
    const masked = this.#masker.mask(text);
    this.shown.push(masked);
    this.#onLine?.(masked);
  }
}

function disabled(name: string): string {
  return (
    `The \`${name}\` command is disabled. Please upgrade to using Environment Files or opt into unsecure command ` +
    "execution by setting the `ACTIONS_ALLOW_UNSECURE_COMMANDS` environment variable to `true`."
  );
}

function sameName(name: string, token: string | undefined): boolean {
  return token !== undefined && name.toLowerCase() === token.toLowerCase();
}
