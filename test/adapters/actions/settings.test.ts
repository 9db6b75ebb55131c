import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { inputSchema } from "../../../src/adapters/actions/inputs.ts";
import { readSettings } from "../../../src/adapters/actions/settings.ts";
import { captured } from "./captured.ts";

const action = parse(readFileSync("action.yml", "utf8")) as {
  inputs: Record<string, { default: string }>;
};
const token = "ghs_0123456789abcdefghij";
const key = "sk-ant-0123456789-abcdefghij";

/** What the runner sets when a workflow gives these inputs: the defaults of action.yml for all others. */
function read(inputs: Readonly<Record<string, string>>) {
  const defaults = Object.entries(action.inputs).map(([name, { default: value }]) => [name, value]);
  const given = { ...Object.fromEntries(defaults), "github-token": token, ...inputs };
  const env = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return captured(Object.fromEntries(env), () => ({ settings: readSettings(), left: { ...process.env } }));
}

describe("settings", () => {
  it("knows exactly the inputs that action.yml declares", () => {
    expect(Object.keys(inputSchema.entries)).toEqual(Object.keys(action.inputs));
  });

  it("takes action.yml's defaults", async () => {
    const { value } = await read({});
    expect(value.settings).toEqual({
      kind: "settings",
      anthropicApiKey: null,
      anthropicBaseUrl: null,
      model: "claude-sonnet-5-5",
      modelGiven: false,
      githubToken: token,
      triggerPhrase: "/agent",
      asks: { session: "", answer: "", task: "", target: "" },
      resolve: null,
      takeOver: null,
      configPath: ".github/agent.yml",
      setup: null,
      checks: null,
      budget: {},
      publish: "draft",
      sessionKey: null,
      allowedBots: [],
      images: "off",
      showOutput: false,
      durability: "auto",
      retentionDays: 14,
      shipSeconds: 60,
      onUnsaved: "go-on",
      sandbox: "on",
      secrets: [token],
    });
  });

  it.each([
    [
      "anthropic-base-url",
      "https://gateway.example/anthropic/",
      { anthropicBaseUrl: "https://gateway.example/anthropic" },
    ],
    ["anthropic-base-url", "http://127.0.0.1:8080", { anthropicBaseUrl: "http://127.0.0.1:8080" }],
    ["anthropic-base-url", "http://[::1]:8080", { anthropicBaseUrl: "http://[::1]:8080" }],
    ["trigger-phrase", "@baton please", { triggerPhrase: "@baton please" }],
    ["model", "claude-opus-5", { model: "claude-opus-5", modelGiven: true }],
    ["setup", "npm ci\n\n  npm run build \n", { setup: ["npm ci", "npm run build"] }],
    ["checks", "npm test", { checks: ["npm test"] }],
    ["max-turns", "1", { budget: { turns: 1 } }],
    ["max-cost-usd", "2.50", { budget: { costUsd: 2.5 } }],
    ["allowed-bots", "41898282, 49699333\n7", { allowedBots: [41898282, 49699333, 7] }],
    ["ship-seconds", "0", { shipSeconds: 0 }],
    ["on-unsaved", "stop", { onUnsaved: "stop" }],
    ["images", "uploads", { images: "uploads" }],
    ["show-output", "true", { showOutput: true }],
    ["durability", "disk", { durability: "disk" }],
    ["publish", "ready", { publish: "ready" }],
    ["resolve", "not-done", { resolve: "not-done" }],
    ["take-over", "17654321098", { takeOver: "17654321098" }],
    ["dangerously-disable-sandbox", "true", { sandbox: "off" }],
    ["config", ".github/other/agent.yaml", { configPath: ".github/other/agent.yaml" }],
  ])("reads %s: %j", async (name, text, expected) => {
    const { value } = await read({ [name]: text });
    expect(value.settings).toMatchObject(expected);
  });

  it.each([
    ["anthropic-base-url", "http://gateway.example", "an https address"],
    ["anthropic-base-url", "https://user:word@gateway.example", "without credentials"],
    ["anthropic-base-url", "gateway.example", "an https address"],
    ["anthropic-base-url", "http://127.0.0.1.example", "http only on loopback"],
    ["model", "a b", "the name of a model"],
    ["trigger-phrase", "/аgent", "visible ASCII"],
    ["trigger-phrase", "> agent", "visible ASCII"],
    ["config", "../agent.yml", "a path in the repository"],
    ["config", "/etc/passwd", "a path in the repository"],
    ["config", ".git/config", "a path in the repository"],
    ["max-turns", "0", "a whole number from 1 to 10000"],
    ["max-turns", "sixty", "a whole number from 1 to 10000"],
    ["max-minutes", "1e3", "a whole number from 1 to 7200"],
    ["max-tokens", "-5", "a whole number from 1000"],
    ["max-cost-usd", "5 dollars", "an amount in US dollars"],
    ["max-cost-usd", "0", "at least 0.01"],
    ["publish", "merge", "draft or ready"],
    ["resolve", "yes", "done or not-done"],
    ["take-over", "true", "the id of a run, as its address ends with"],
    ["allowed-bots", "dependabot[bot]", "numeric ids, not names"],
    ["images", "all", "off or uploads"],
    ["show-output", "yes", "true or false"],
    ["durability", "memory", "auto, process or disk"],
    ["retention-days", "91", "a whole number from 1 to 90"],
    ["ship-seconds", "", "a whole number from 0"],
    ["on-unsaved", "ask", "go-on or stop"],
    ["dangerously-disable-sandbox", "yes", "true or false"],
  ])("refuses %s: %j and says what is allowed", async (name, text, allowed) => {
    const { value } = await read({ [name]: text });
    expect(value.settings).toMatchObject({ kind: "refused", why: expect.stringContaining(allowed) });
    expect(value.settings).toMatchObject({ why: expect.stringContaining(`The input ${name} is `) });
  });

  it("names every unusable input at once", async () => {
    const { value } = await read({ "max-turns": "x", publish: "y" });
    expect(value.settings).toMatchObject({ why: expect.stringMatching(/max-turns.*publish/s) });
  });

  it.each([
    ["anthropic-api-key", "short", "at least 8"],
    ["anthropic-api-key", "sk-ant-0123 456789", "no white space"],
    ["github-token", "", "a token is needed"],
    ["session-key", "not-long-enough", "at least 32"],
  ])("refuses an unusable %s without showing it", async (name, text, why) => {
    const { value, lines } = await read({ [name]: text });
    expect(value.settings).toMatchObject({ kind: "refused", why: expect.stringContaining(why) });
    if (text !== "") {
      expect(JSON.stringify({ ...value.settings, secrets: [] })).not.toContain(text);
      expect(lines.filter((line) => !line.startsWith("::add-mask::")).join("\n")).not.toContain(text);
    }
  });

  it("has the runner mask every secret and its forms before anything else is printed", async () => {
    const sessionKey = "k".repeat(40);
    const { lines } = await read({ "anthropic-api-key": key, "session-key": sessionKey });
    expect(lines.every((line) => line.startsWith("::add-mask::"))).toBe(true);
    const base64 = Buffer.from(key).toString("base64");
    const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
    const hex = Buffer.from(sessionKey).toString("hex");
    for (const form of [key, base64, token, basic, sessionKey, hex])
      expect(lines).toContain(`::add-mask::${form}`);
  });

  it("takes the secrets out of the environment", async () => {
    const { value } = await read({ "anthropic-api-key": key });
    expect(value.settings).toMatchObject({ anthropicApiKey: key, secrets: [key, token] });
    expect(JSON.stringify(value.left)).not.toContain(key);
    expect(JSON.stringify(value.left)).not.toContain(token);
  });

  it("does not show a secret that was put into another input", async () => {
    const { value } = await read({ "anthropic-api-key": key, model: `${key} x` });
    expect(value.settings).toMatchObject({ kind: "refused", why: expect.stringContaining("***") });
    expect(value.settings).not.toMatchObject({ why: expect.stringContaining(key) });
  });
});
