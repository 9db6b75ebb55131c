import type { Clock } from "../base/clock.ts";
import type { Mask } from "../base/masking.ts";
import type { Permissions } from "../command/permissions.ts";
import type { Pictures } from "../command/pictures.ts";
import type { Host } from "../delivery/host.ts";
import type { Patches } from "../delivery/patches.ts";
import type { Check, Checks } from "../gate/checks.ts";
import type { OnLive } from "../loop/live.ts";
import type { Model, ToolDefinition } from "../loop/model.ts";
import type { Prices } from "../loop/prices.ts";
import type { Toolbox } from "../loop/toolbox.ts";
import type { Budget, RunRef } from "../session/event.ts";
import type { SessionFiles } from "../session/files.ts";
import type { SessionId } from "../session/id.ts";
import type { Leases } from "../session/leases.ts";
import type { Shelf } from "../session/shelf.ts";
import type { SealKey } from "../session/shipment.ts";
import type { Pinned, PinTarget, Workspace } from "../workspace/workspace.ts";
import type { Earshot } from "./earshot.ts";
import type { ParseYaml } from "./read-config.ts";

/** What this run was told, besides what triggered it. */
export type Orders = {
  readonly provider: string;
  readonly model: string;
  /** Somebody named it for this run; else it is the default, or what the session was begun with. */
  readonly modelGiven: boolean;
  readonly triggerPhrase: string;
  readonly allowedBots: readonly number[];
  /** What was set on purpose; the rest is the file's or the default. */
  readonly budget: Partial<Budget>;
  readonly configPath: string;
  /** In place of the file's; null where the file decides. */
  readonly setup: readonly string[] | null;
  readonly checks: readonly Check[] | null;
  readonly publish: "draft" | "ready" | "branch";
  /** Whether a pull request made with our token starts the repository's own workflows. */
  readonly startsChecks: boolean;
  readonly durability: "process" | "disk";
  readonly shipSeconds: number;
  /** The run from which a person takes the session, although its job may still work; null where it has to be gone. */
  readonly takeOver: string | null;
  /** What becomes of a run whose session cannot be stored. */
  readonly onUnsaved: "go-on" | "stop";
  /** What a person says of the call in doubt of the session that is resumed; null where nobody said anything. */
  readonly resolve: "done" | "not-done" | null;
  /** Why no model can be asked, such as a missing key; null when one can. */
  readonly modelMissing: string | null;
};

export type RepositoryFacts = {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
};

/** The directories of one run of a session; all absolute and ours alone. */
export type RunDirs = {
  /** The base tree with what setup made of it; nothing else ever runs in it. */
  readonly base: string;
  /** What the model works in. */
  readonly work: string;
  /** HOME as setup left it. */
  readonly home: string;
  /** A copy of it, for the model's tools. */
  readonly workHome: string;
};

/** A place where tools run, open and proved sound. */
export type Room = AsyncDisposable & {
  /** What kind of sandbox it is, for the log and the pull request; `off` when there is none. */
  readonly sandbox: string;
  readonly pid: number | null;
  readonly toolbox: Toolbox;
};

export type SetupRun = {
  readonly command: string;
  readonly exitCode: number | null;
  readonly ms: number;
  readonly output: string;
};

/** Where one setup runs that is not the base's: a directory that does not exist yet, and an empty HOME. */
export type SetupPlace = AsyncDisposable & Pick<RunDirs, "base" | "home">;

/** Where repository code runs: setup, the model's tools, the gate's checks. */
export type Rooms = {
  /** Null where a sandbox can be made on this machine, or none was asked for; else why not. */
  readonly impossible: () => Promise<string | null>;
  /** Runs one after the other until one fails; network on, no secrets, HOME is `dirs.home`. */
  readonly setup: (
    dirs: Pick<RunDirs, "base" | "home">,
    commands: readonly string[],
    options: { readonly names: readonly string[]; readonly signal: AbortSignal },
  ) => Promise<readonly SetupRun[]>;
  /** Both are ours alone and fresh; closing it removes them. */
  readonly place: () => Promise<SetupPlace>;
  /** Opens and probes; `refused` when a promise of the sandbox does not hold here. */
  readonly open: (
    dirs: RunDirs,
    options: { readonly names: readonly string[]; readonly signal: AbortSignal },
  ) => Promise<
    { readonly kind: "open"; readonly room: Room } | { readonly kind: "refused"; readonly why: string }
  >;
  readonly checks: (
    dirs: Pick<RunDirs, "base" | "home">,
    places: CheckPlaces,
    options: { readonly names: readonly string[] },
  ) => Checks;
};

/** How a clean checkout is made: the two methods of the pinned workspace that it takes. */
export type CheckPlaces = {
  readonly copy: (from: string, to: string) => Promise<void>;
  readonly restore: Workspace["restore"];
};

/** What one session has on this machine. */
export type Ground = AsyncDisposable & {
  readonly files: SessionFiles;
  readonly dirs: RunDirs;
  readonly pin: (target: PinTarget, options: { readonly signal: AbortSignal }) => Promise<Pinned>;
};

export type GroundTaken =
  | { readonly kind: "taken"; readonly ground: Ground }
  | { readonly kind: "refused"; readonly code: "busy"; readonly why: string };

/** Everything a story works with: the ports, and what the run knows of itself. */
export type Means = {
  readonly orders: Orders;
  readonly repository: RepositoryFacts;
  readonly run: RunRef & { readonly url: string | null; readonly workflow: string };
  /** From when on it listens to people. */
  readonly earshot: Earshot;
  /** `https://github.com` */
  readonly serverUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** n random bytes. */
  readonly bytes: (n: number) => Uint8Array;
  readonly mask: Mask;
  readonly key: SealKey;
  readonly permissions: Permissions;
  readonly host: Host;
  readonly patches: Patches;
  /** Null where the model is to be shown no picture: none is ever fetched then. */
  readonly pictures: Pictures | null;
  readonly leases: Leases;
  readonly shelf: Shelf;
  readonly model: Model;
  /** What the model is told of the tools; the same whatever the sandbox. */
  readonly tools: readonly ToolDefinition[];
  readonly prices: Prices;
  readonly rooms: Rooms;
  /** Whether the machine has a core for something beside the model's work. */
  readonly spareCore: boolean;
  readonly parseYaml: ParseYaml;
  /** Takes the session's place on this machine: fresh directories, the local lock. */
  readonly ground: (session: SessionId) => Promise<GroundTaken>;
  /** Tells `post` which session this run has open. */
  readonly opened: (session: SessionId) => void;
  /** Aborts the run after `ms` of its time, however busy it is. */
  readonly limit: (ms: number) => void;
  /**
   * Aborted when somebody cancels the run, which leaves it seconds; not by its time limit, after which it still stores
   * the session and tells its end. The ports to GitHub end with it.
   */
  readonly cancelled: AbortSignal;
  /** A line for the job's log; untrusted text in it is made harmless by the adapter. */
  readonly say: (text: string) => void;
  /** The same, where a person has to see it. */
  readonly warn: (text: string) => void;
  readonly onLive: OnLive;
};
