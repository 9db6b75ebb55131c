import * as v from "valibot";
import { isLoopback } from "./loopback.ts";

/** Inputs whose value is never shown, not even in a refusal. */
export const secretInputs: ReadonlySet<string> = new Set([
  "anthropic-api-key",
  "github-token",
  "session-key",
]);

/**
 * Every input of action.yml and what may stand in it. The value is the trimmed text, empty where nothing was given;
 * the message of each rule ends the sentence "it must be …".
 */
export const inputSchema = v.object({
  "anthropic-api-key": secret(8),
  "anthropic-base-url": v.pipe(
    v.string(),
    v.check(
      (text) => text === "" || isEndpoint(text),
      "an https address without credentials or query; http only on loopback",
    ),
    v.transform((text) => (text === "" ? null : text.replace(/\/+$/, ""))),
  ),
  model: optional(
    v.pipe(v.string(), v.regex(/^[\w.:@/-]{1,128}$/, "the name of a model, such as claude-sonnet-5-5")),
  ),
  "github-token": v.pipe(secret(8), v.nonEmpty("a token is needed to read and answer")),
  "trigger-phrase": v.pipe(
    v.string(),
    v.regex(
      /^(?![>`~<])(?=.{1,40}$)[!-~]+( [!-~]+)*$/,
      "at most 40 visible ASCII characters that do not begin a quote, code or HTML, such as /agent",
    ),
  ),
  session: v.string(),
  answer: v.string(),
  resolve: optional(v.picklist(["done", "not-done"], "done or not-done")),
  "take-over": optional(
    v.pipe(v.string(), v.regex(/^[1-9]\d{0,19}$/, "the id of a run, as its address ends with")),
  ),
  task: v.string(),
  target: v.string(),
  config: v.pipe(
    v.string(),
    v.check(isPathInRepository, "a path in the repository, such as .github/agent.yml"),
  ),
  setup: lines(),
  checks: lines(),
  "max-turns": optional(whole(1, 10_000)),
  "max-minutes": optional(whole(1, 7_200)),
  "max-tokens": optional(whole(1_000, 1_000_000_000)),
  "max-cost-usd": optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}(\.\d{1,4})?$/, "an amount in US dollars, such as 5 or 2.50"),
      v.transform(Number),
      v.minValue(0.01, "at least 0.01"),
    ),
  ),
  publish: v.picklist(["draft", "ready"], "draft or ready"),
  "session-key": secret(32),
  "allowed-bots": v.pipe(
    v.string(),
    v.transform((text) => text.split(/[\s,]+/).filter((word) => word !== "")),
    v.array(v.string()),
    v.check(
      (words) => words.every((word) => /^[1-9]\d{0,14}$/.test(word)),
      "numeric ids, not names, separated by spaces, commas or line ends",
    ),
    v.transform((words) => words.map(Number)),
  ),
  images: v.picklist(["off", "uploads"], "off or uploads"),
  "show-output": flag(),
  durability: v.picklist(["auto", "process", "disk"], "auto, process or disk"),
  "retention-days": whole(1, 90),
  "ship-seconds": whole(0, 86_400),
  "on-unsaved": v.picklist(["go-on", "stop"], "go-on or stop"),
  "dangerously-disable-sandbox": flag(),
});

export type InputValues = v.InferOutput<typeof inputSchema>;

/** Shorter ones cannot be masked; white space in one is a slip of the clipboard that a request would fail on later. */
function secret(charactersMin: number) {
  return v.pipe(
    v.string(),
    v.check(
      (text) => text === "" || (text.length >= charactersMin && /^[!-~]+$/.test(text)),
      `it must have at least ${charactersMin} printable ASCII characters and no white space`,
    ),
  );
}

function flag() {
  return v.pipe(
    v.picklist(["true", "false"], "true or false"),
    v.transform((text) => text === "true"),
  );
}

function whole(min: number, max: number) {
  const allowed = `a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,12}$/, allowed),
    v.transform(Number),
    v.minValue(min, allowed),
    v.maxValue(max, allowed),
  );
}

/** Null where nothing was given. */
function optional<Output>(schema: v.GenericSchema<string, Output>): v.GenericSchema<string, Output | null> {
  const nothing = v.pipe(
    v.literal(""),
    v.transform(() => null),
  );
  return v.lazy((input) => (input === "" ? nothing : schema) as v.GenericSchema<string, Output | null>);
}

function lines() {
  return v.pipe(
    v.string(),
    v.transform((text) => {
      const commands = text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "");
      return commands.length === 0 ? null : commands;
    }),
  );
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function isPathInRepository(text: string): boolean {
  if (text === "" || text.length > 1024 || /[\\\p{Cc}]/u.test(text)) return false;
  return text.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part !== ".git");
}
