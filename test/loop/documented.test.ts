import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline, turnOf } from "../kit/given.ts";
import { failure, given, modelOf, read, reply, type Setup, shell, text, use } from "./given-loop.ts";

/** The sequences of docs/loop.md, in its order: of each line the event's type and what tells it apart. */
const documented = [
  ...readFileSync(join(import.meta.dirname, "../../docs/loop.md"), "utf8").matchAll(
    /```events\n([\s\S]*?)```/g,
  ),
].map(([, block = ""]) =>
  block
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/)[0]),
);

const ask = {
  name: "ask",
  class: "read",
  required: ["question"],
  run: async () => "asked",
} as const;

const said = [{ id: "comment:2", by: "octo", text: "Also the docs." }];

const pictured: SessionEvent = {
  ...{ type: "input.accepted", id: "comment:2", by: "octo", text: inline("See.") },
  images: [{ mediaType: "image/png", data: inline("AA==") }],
};

/** A conversation that fills the window nearly. */
const long: readonly SessionEvent[] = [
  ...turnOf(1, { id: "a", tool: "read", tree: null }).map((event) =>
    event.type === "reply.received" ? { ...event, usage: { ...event.usage, input: 190_000 } } : event,
  ),
  { type: "turn.ended", turn: 1, next: "calls", ms: 1, checkpoint: null },
];

const turns: readonly (readonly [string, Setup])[] = [
  ["without a call", { script: [{ text: "Done" }] }],
  [
    "with reads and a command",
    { script: [{ calls: [read("a"), read("b"), shell("test")] }, { text: "Done" }] },
  ],
  ["with a try that failed", { model: modelOf([failure(), reply([text("Done")])]) }],
  [
    "with an image that the provider cannot read",
    { log: [pictured], model: modelOf([failure({ verdict: "unread-image" }), reply([text("Done")])]) },
  ],
  [
    "that was cut",
    {
      model: modelOf([
        reply([use("a", "read", { path: "a" })], { stopReason: "max_tokens" }),
        reply([text("Done")]),
      ]),
    },
  ],
  [
    "in which somebody wrote",
    { script: [{ text: "Done" }, { text: "Docs" }], parts: { heard: async () => said } },
  ],
  [
    "that puts a question",
    { tools: () => [ask], script: [{ calls: [{ name: "ask", input: { question: "Which one?" } }] }] },
  ],
  [
    "that needs a person's word",
    {
      script: [{ calls: [shell("rm -r a")] }],
      parts: { policy: () => ({ kind: "approval", why: "listed" }) },
    },
  ],
  [
    "for which room had to be made",
    { log: long, model: modelOf([reply([text("What was done.")]), reply([text("Done")])]) },
  ],
];

function line(event: SessionEvent): string {
  switch (event.type) {
    case "turn.ended":
      return `${event.type} ${event.next}`;
    case "call.settled":
      return `${event.type} ${event.status}`;
    default:
      return event.type;
  }
}

/** The first turn, up to its end or that of the run. */
function firstTurn(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((one) => one.startsWith("turn.ended"));
  return end === -1 ? lines : lines.slice(0, end + 1);
}

describe("docs/loop.md", () => {
  it("shows one sequence for each kind of turn here", () => {
    expect(documented).toHaveLength(turns.length);
  });

  it.each(turns.map(([name, setup], at) => [name, setup, documented[at]] as const))(
    "shows the events of a turn %s as they are",
    async (_, setup, shown) => {
      const session = await given(setup);
      await session.run();
      expect(firstTurn(session.events.map(line))).toEqual(shown);
    },
  );
});
