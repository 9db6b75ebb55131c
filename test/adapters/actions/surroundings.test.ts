import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { durabilityFor, readSurroundings } from "../../../src/adapters/actions/surroundings.ts";
import { newFolder } from "../../kit/folder.ts";
import { captured } from "./captured.ts";

const folder = newFolder("event");

function eventFile(text: string): string {
  const path = join(folder, `${text.length}.json`);
  writeFileSync(path, text);
  return path;
}

const complete = {
  GITHUB_EVENT_NAME: "issue_comment",
  GITHUB_EVENT_PATH: eventFile('{"action":"created"}'),
  GITHUB_REPOSITORY: "Codertocat/Hello-World",
  GITHUB_REPOSITORY_ID: "186853002",
  GITHUB_RUN_ID: "30433642",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_JOB: "agent",
  GITHUB_ACTOR: "octocat",
  GITHUB_ACTOR_ID: "583231",
  GITHUB_WORKFLOW_REF: "Codertocat/Hello-World/.github/workflows/agent.yml@refs/heads/v1@next",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_API_URL: "https://api.github.com/",
  RUNNER_TEMP: "/home/runner/work/_temp",
  RUNNER_ENVIRONMENT: "github-hosted",
  GITHUB_WORKSPACE: "/home/runner/work/Hello-World/Hello-World",
  PATH: "/usr/bin:/bin",
};

async function read(changes: Readonly<Record<string, string>>, without: readonly string[] = []) {
  const env = Object.entries({ ...complete, ...changes }).filter(([name]) => !without.includes(name));
  return (await captured(Object.fromEntries(env), readSurroundings)).value;
}

describe("surroundings", () => {
  it("are what the runner says", async () => {
    expect(await read({})).toEqual({
      kind: "surroundings",
      eventName: "issue_comment",
      event: { action: "created" },
      repository: { id: 186853002, owner: "Codertocat", name: "Hello-World" },
      run: { id: "30433642", attempt: 2, job: "agent" },
      actor: { login: "octocat", id: 583231 },
      workflow: { path: ".github/workflows/agent.yml", ref: "refs/heads/v1@next" },
      serverUrl: "https://github.com",
      apiUrl: "https://api.github.com",
      tempDir: "/home/runner/work/_temp",
      workspaceDir: "/home/runner/work/Hello-World/Hello-World",
      runner: "hosted",
      path: "/usr/bin:/bin",
      platform: process.platform,
    });
  });

  it.each(Object.keys(complete).filter((name) => name !== "RUNNER_ENVIRONMENT"))(
    "are refused without %s, by name",
    async (name) => {
      expect(await read({}, [name])).toMatchObject({
        kind: "refused",
        why: expect.stringContaining(`The variable ${name} is not set`),
      });
      expect(await read({ [name]: "" })).toMatchObject({
        kind: "refused",
        why: expect.stringContaining(name),
      });
    },
  );

  it.each([
    ["GITHUB_SERVER_URL", "https://github.example.com", "GitHub Enterprise Server is not supported"],
    ["GITHUB_SERVER_URL", "http://github.com", "plain http"],
    ["GITHUB_API_URL", "http://api.github.com", "plain http"],
    ["GITHUB_REPOSITORY", "Hello-World", "is not owner/name"],
    ["GITHUB_RUN_ID", "abc", "is not a run's id"],
    ["GITHUB_WORKFLOW_REF", "agent", "does not name a workflow file"],
    ["RUNNER_TEMP", "temp", "is not an absolute path"],
    ["GITHUB_EVENT_PATH", join(folder, "none.json"), "it cannot be read"],
    ["GITHUB_EVENT_PATH", eventFile('{"secret": '), "it is not JSON"],
  ])("are refused when %s is %s", async (name, value, why) => {
    const refused = await read({ [name]: value });
    expect(refused).toMatchObject({ kind: "refused", why: expect.stringContaining(why) });
    expect(refused).not.toMatchObject({ why: expect.stringContaining("secret") });
  });

  it("may stand on loopback", async () => {
    const local = { GITHUB_SERVER_URL: "http://127.0.0.1:4000", GITHUB_API_URL: "http://localhost:4001" };
    expect(await read(local)).toMatchObject({
      serverUrl: "http://127.0.0.1:4000",
      apiUrl: "http://localhost:4001",
    });
  });

  it.each([
    ["auto", "hosted", "process"],
    ["auto", "self-hosted", "disk"],
    ["process", "self-hosted", "process"],
    ["disk", "hosted", "disk"],
  ] as const)("make durability %s on a %s runner %s", (setting, runner, expected) => {
    expect(durabilityFor(setting, { runner })).toBe(expected);
  });

  it("take a runner that does not say what it is for self-hosted", async () => {
    expect(await read({}, ["RUNNER_ENVIRONMENT"])).toMatchObject({ runner: "self-hosted" });
  });
});
