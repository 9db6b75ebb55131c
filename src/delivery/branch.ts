import type { Tree } from "../base/hash.ts";
import type { Thread } from "../session/event.ts";
import type { SessionId } from "../session/id.ts";
import { neutralTitle } from "./neutral.ts";

/** `agent/<number>-<session>`, or `agent/task-<session>`: nothing in it comes from the work (T31, T65). */
export function branchName(thread: Thread | null, session: SessionId): string {
  return `agent/${thread === null ? "task" : thread.number}-${session}`;
}

const subjectMax = 72;

/** The subject comes from the work, made harmless; the body is ours, so that no trailer or directive can be. */
export function commitMessage(commit: {
  readonly title: string;
  readonly session: SessionId;
  readonly tree: Tree;
}): string {
  const subject = neutralTitle(commit.title, subjectMax) || "Change what was asked for";
  return `${subject}\n\nThe declared checks ran on exactly this tree, ${commit.tree}.\nBaton session ${commit.session}.\n`;
}
