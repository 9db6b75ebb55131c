import { describe, expect, it } from "vitest";
import { handle } from "../../src/app/handle.ts";
import type { Trigger } from "../../src/command/trigger.ts";
import { sessionIdOf } from "../../src/session/id.ts";
import { endJob, givenStage, repositoryId, startProcess } from "../kit/story/stage.ts";
import { tellsStory } from "../kit/story/tale.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const model = tellsStory([{ calls: [write("a.txt"), write("b.txt")] }, { text: "Fix a and b" }]);
const session = sessionIdOf(`repo:${repositoryId}/run:1`);
const octo = { login: "octo", id: 7 };
const task = "Fix both.";

const triggers: readonly (readonly [string, Trigger, boolean])[] = [
  [
    "a dispatch names who gave it",
    {
      ...{ kind: "dispatch", repositoryId, session, sender: { ...octo, type: "User" } },
      asks: { kind: "task", task, target: null },
    },
    true,
  ],
  [
    "a schedule names nobody, since its account has asked for nothing",
    { kind: "schedule", repositoryId, session, actor: octo, task, target: null },
    false,
  ],
];

describe("the co-author of a commit", () => {
  it.each(triggers)("is who asked for it: %s", async (_, trigger, isNamed) => {
    const stage = givenStage();
    const process = startProcess(stage, { model });
    const { signal } = new AbortController();
    const command = { kind: "fix", text: task, sha: null } as const;
    const end = await handle({ trigger, command }, process.means, { signal, opened: process.isOpen });
    await endJob(stage, process, "lost");
    expect(end).toMatchObject({ kind: "pull-request", reason: "opened" });
    const messages = [...stage.github.commits.values()].map(({ message = "" }) => message);
    const line = "Co-authored-by: octo <7+octo@users.noreply.github.com>";
    expect(messages.some((message) => message.includes("Baton session"))).toBe(true);
    expect(messages.some((message) => message.includes(line))).toBe(isNamed);
  });
});
