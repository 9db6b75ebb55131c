import type { Config } from "../gate/config.ts";
import type { Story } from "../loop/story.ts";
import type { Hold } from "../session/claim.ts";
import type { Identity } from "../session/event.ts";
import type { OpenJournal } from "../session/open-journal.ts";
import type { Shipper } from "../session/shipper.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Baseline } from "./baseline.ts";
import type { ChangedSetup } from "./changed-setup.ts";
import type { Ears } from "./ears.ts";
import type { Ground, Means, Room } from "./means.ts";
import type { StatusBoard } from "./status.ts";

/** A session that this run has claimed and opened. */
export type Work = {
  readonly means: Means;
  readonly identity: Identity;
  readonly hold: Hold;
  readonly ground: Ground;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly journal: OpenJournal;
  readonly story: Story;
  /** The system prompt, as the log has it. */
  readonly system: string;
  readonly shipper: Shipper;
  readonly board: StatusBoard;
  readonly ears: Ears;
  readonly baseline: Baseline;
  readonly changedSetup: ChangedSetup;
};

/** The same, with the place where tools run. */
export type ReadyWork = Work & { readonly room: Room };
