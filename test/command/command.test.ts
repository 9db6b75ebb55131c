import { describe, expect, it } from "vitest";
import { commandOf, isTriggerPhrase, parseCommand } from "../../src/command/command.ts";
import { ann, triggerOf } from "./given.ts";

const sha = "0123456789abcdef0123456789abcdef01234567";

const commands: readonly (readonly [string, unknown])[] = [
  ["/agent fix", { kind: "fix", text: "", sha: null }],
  ["/agent fix the parser", { kind: "fix", text: "the parser", sha: null }],
  ["\n \t\n/agent fix\r\n\r\nIt crashes.\r\nTwice.", { kind: "fix", text: "It crashes.\nTwice.", sha: null }],
  ["/agent the parser is slow\nvery", { kind: "go-on", text: "the parser is slow\nvery" }],
  ["/agent\nplease fix it", { kind: "go-on", text: "please fix it" }],
  ["/agent größer machen", { kind: "go-on", text: "größer machen" }],
  ["/agent исправь это", { kind: "go-on", text: "исправь это" }],
  ["/agent 🛠️ it", { kind: "go-on", text: "🛠️ it" }],
  [`/agent fix ${sha}`, { kind: "fix", text: "", sha }],
  [`/agent fix ${sha.toUpperCase()} gently`, { kind: "fix", text: "gently", sha }],
  ["/agent fix 0123abc", { kind: "fix", text: "0123abc", sha: null }],
  ["/agent", { kind: "help" }],
  ["/agent help", { kind: "help" }],
  ["/agent Help\nthanks", { kind: "help" }],
  ["/agent help me with the parser", { kind: "go-on", text: "help me with the parser" }],
  ["/agent status", { kind: "status" }],
  ["/agent status codes are wrong", { kind: "go-on", text: "status codes are wrong" }],
  ["/agent resume", { kind: "resume", session: null, run: null }],
  ["/agent resume s0123456789ab", { kind: "resume", session: "s0123456789ab", run: null }],
  ["/agent resume s0123456789ab@77", { kind: "resume", session: "s0123456789ab", run: "77" }],
  ["/agent resume downloads after errors", { kind: "go-on", text: "resume downloads after errors" }],
  ["/agent ask why?", { kind: "later", name: "ask", text: "why?" }],
  ["/agent review", { kind: "later", name: "review", text: "" }],
  ["/agent approve", { kind: "approve", id: null }],
  ["/agent approve a1", { kind: "approve", id: "a1" }],
  ["/agent approve nothing of this", { kind: "unclear", name: "approve" }],
  ["/agent approve\nbut not the second", { kind: "unclear", name: "approve" }],
  ["/agent deny", { kind: "deny", id: null, text: "" }],
  ["/agent deny call_7 too wide", { kind: "deny", id: "call_7", text: "too wide" }],
  ["/agent deny that\nuse the flag", { kind: "deny", id: null, text: "that\nuse the flag" }],
  ["/agent Stop", { kind: "stop" }],
  ["/agent STOP now", { kind: "unclear", name: "stop" }],
  ["/agent stop!", { kind: "stop" }],
  ["/agent stop.", { kind: "stop" }],
  ["/agent stop, please", { kind: "unclear", name: "stop" }],
  ["/agent stop?", { kind: "unclear", name: "stop" }],
  ["/agent stopping is hard", { kind: "go-on", text: "stopping is hard" }],
  ["/agent approve.", { kind: "unclear", name: "approve" }],
  ["/agent approve? a1", { kind: "unclear", name: "approve" }],
  ["/agent deny: too wide", { kind: "deny", id: null, text: "too wide" }],
  ["   /agent fix", { kind: "fix", text: "", sha: null }],
  ["/agent\tfix", { kind: "fix", text: "", sha: null }],
];

/** T11 and R2: none of these is a command. */
const lookAlikes: readonly string[] = [
  "",
  "  \n\t\n",
  "please /agent fix",
  "@bot /agent fix",
  "/agentfoo",
  "/agent-fix",
  "/agent:fix",
  "/agent.",
  "/Agent fix",
  "/AGENT fix",
  "/ agent fix",
  "//agent fix",
  "\\/agent fix",
  "agent fix",
  "> /agent fix",
  ">/agent fix",
  " > /agent fix",
  "- /agent fix",
  "* /agent fix",
  "1. /agent fix",
  "# /agent fix",
  "`/agent fix`",
  "```\n/agent fix\n```",
  "~~~\n/agent fix\n~~~",
  "    /agent fix",
  "\t/agent fix",
  "<!-- /agent fix -->",
  "<!--\n/agent fix\n-->",
  "<!-- note -->\n/agent fix",
  "<p>/agent fix</p>",
  "**/agent fix**",
  "[/agent fix](x)",
  "hello\n/agent fix",
  "\u200b/agent fix",
  "\ufeff/agent fix",
  "/\u200bagent fix",
  "/agent\u200b fix",
  "/agent\u00a0fix",
  "/\u0430gent fix",
  "/ag\u0435nt fix",
  "\uff0fagent fix",
  "\u2044agent fix",
  "\u2215agent fix",
  "/agent \u200bfix",
  "/agent f\u0456x",
  "/agent fi\u200bx",
  "/agent \uff46\uff49\uff58",
  "/agent st\u0430tus",
  "/agent f\u034fix",
  "/agent \u200b fix",
  "\u00a0/agent fix",
  "\u202e/agent fix",
  "\u000b/agent fix",
];

describe("parseCommand", () => {
  it.each(commands)("reads %j", (body, command) => {
    expect(parseCommand(body, "/agent")).toEqual(command);
  });

  it.each(lookAlikes)("does not take %j for a command", (body) => {
    expect(parseCommand(body, "/agent")).toBeNull();
  });

  it("takes only the configured phrase", () => {
    expect(parseCommand("@baton fix", "@baton")).toEqual({ kind: "fix", text: "", sha: null });
    expect(parseCommand("/agent fix", "@baton")).toBeNull();
    expect(parseCommand("hey baton fix", "hey baton")).toEqual({ kind: "fix", text: "", sha: null });
  });

  it("takes no phrase that Markdown would begin something with, and none that is not plain ASCII", () => {
    for (const phrase of [
      "",
      " ",
      "> x",
      "`x",
      "~~~",
      "<x",
      "/agént",
      "/a\u200b",
      "a  b",
      " a",
      "x".repeat(41),
    ]) {
      expect(isTriggerPhrase(phrase)).toBe(false);
      expect(parseCommand(`${phrase} fix`, phrase)).toBeNull();
    }
  });
});

describe("what a dispatch says to a session", () => {
  it.each([
    ["", { kind: "resume", session: "s0123456789ab", run: null }],
    ["use tabs\nand no spaces", { kind: "go-on", text: "use tabs\nand no spaces" }],
    ["approve", { kind: "approve", id: null }],
    ["Approve toolu_1", { kind: "approve", id: "toolu_1" }],
    ["approve toolu_1 and all others", { kind: "unclear", name: "approve" }],
    ["deny toolu_1 too wide", { kind: "deny", id: "toolu_1", text: "too wide" }],
    // Commands that are not about what it waits for are words here: the session is named.
    ["fix the other one", { kind: "go-on", text: "fix the other one" }],
    ["stop", { kind: "go-on", text: "stop" }],
    ["stop, and try the other way", { kind: "go-on", text: "stop, and try the other way" }],
    ["approve!", { kind: "unclear", name: "approve" }],
  ])("reads the answer %j", (answer, command) => {
    const payload = { repository: { id: 1 }, sender: ann };
    const trigger = triggerOf("workflow_dispatch", payload, { session: "s0123456789ab", answer });
    expect(commandOf(trigger, "/agent")).toEqual(command);
  });
});
