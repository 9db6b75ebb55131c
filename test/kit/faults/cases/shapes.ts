import { signThinking } from "../../model/signing.ts";
import type { Case, Step } from "../case.ts";
import type { Meaning } from "../grammar.ts";
import { around, good, told } from "../steps.ts";
import { type Events, type StreamName, streams } from "../streams.ts";

type Event = Events[number];
type Fields = Readonly<Record<string, unknown>>;
const names = Object.keys(streams) as readonly StreamName[];

/** The case of a stream whose events mean what they mean: the session goes on after it, or asks for it again. */
export function spoiled(name: StreamName, what: string, row: string, events: Events): Case {
  const step = told(signed(events));
  return { name: `${name}: ${what}`, row, steps: [step, ...rest(name, step.meaning)] };
}

/** What is still to come after an answer of that meaning, in place of the stream `name`. */
export function rest(name: StreamName, meaning: Meaning): readonly Step[] {
  if (meaning.kind !== "taken") return around(name, []);
  switch (meaning.next) {
    case "finished":
    case "declined":
    case "unknown":
      return [];
    default:
      return [good.talk];
  }
}

/** Each event of a stream left out, doubled, swapped with the next, or counted wrongly. */
export function* orders(): Generator<Case> {
  for (const name of names) {
    const events = streams[name];
    for (const [k, event] of events.entries()) {
      const before = events.slice(0, k);
      const behind = events.slice(k + 1);
      const next = behind[0];
      const at = `event ${k}, ${event.type}`;
      if (!isSignature(event)) yield spoiled(name, `${at}, left out`, "F23", [...before, ...behind]);
      yield spoiled(name, `${at}, twice`, "F23", [...before, event, event, ...behind]);
      yield spoiled(name, `${at}, repeated at the end`, "F23", [...events, event]);
      if (next !== undefined) {
        const swapped = [...before, next, event, ...behind.slice(1)];
        yield spoiled(name, `${at}, behind the next`, "F23", swapped);
      }
      if (typeof event["index"] !== "number") continue;
      for (const index of [event["index"] + 1, event["index"] - 1, String(event["index"]), null]) {
        yield spoiled(name, `${at}, with index ${JSON.stringify(index)}`, "F23", [
          ...before,
          { ...event, index },
          ...behind,
        ]);
      }
      const { index: _, ...bare } = event;
      yield spoiled(name, `${at}, without an index`, "F23", [...before, bare as Event, ...behind]);
    }
    const twice = spoiled(name, "two beginnings, and then nothing", "F23", [
      ...events.slice(0, 1),
      ...events.slice(0, 1),
    ]);
    const [first, ...others] = twice.steps;
    // Nobody waits for the rest of what is broken, or holds its connection.
    if (first !== undefined) {
      const delivery = { ...first.delivery, ends: { kind: "stall" } } as const;
      yield { ...twice, steps: [{ ...first, delivery }, ...others] };
    }
    yield spoiled(name, "two streams in one", "F23", [...events.slice(0, -1), ...events]);
    yield spoiled(name, "backwards", "F23", [...events].reverse());
  }
}

/** The end, or what comes before it, too early: once more, in place of the right one, and for another reason. */
export function* earlyEnds(): Generator<Case> {
  for (const name of names) {
    const events = streams[name];
    const ends = events.filter(({ type }) => type === "message_delta" || type === "message_stop");
    const other = { type: "message_delta", delta: { stop_reason: "refusal" }, usage: {} };
    for (let k = 0; k <= events.length; k += 1) {
      const [before, behind] = [events.slice(0, k), events.slice(k)];
      yield spoiled(name, `another reason to stop behind ${k}`, "F23", [...before, other, ...behind]);
      for (const end of ends) {
        const what = `${end.type} behind ${k} events`;
        const without = (some: Events) => some.filter((event) => event !== end);
        yield spoiled(name, `${what}, too`, "F23", [...before, end, ...behind]);
        yield spoiled(name, `${what}, alone`, "F23", [...without(before), end, ...without(behind)]);
      }
    }
  }
}

/** What nobody knows yet, at each place where it can stand. */
export function* unknowns(): Generator<Case> {
  const weather = { type: "weather", index: 0, delta: { type: "text_delta", text: "sunny" } };
  for (const name of names) {
    const events = streams[name];
    for (let k = 0; k <= events.length; k += 1) {
      const [before, behind] = [events.slice(0, k), events.slice(k)];
      yield spoiled(name, `an unknown event behind ${k}`, "F20", [...before, weather, ...behind]);
      const open = before.findLast(({ type }) => type.startsWith("content_block"));
      if (open !== undefined && open.type !== "content_block_stop" && behind.length > 0) {
        const { index } = open;
        for (const delta of [
          { type: "hologram_delta", hologram: "x" },
          { type: "text_delta", text: "stray" },
          { type: "thinking_delta", thinking: "stray" },
          { type: "input_json_delta", partial_json: "{" },
        ]) {
          const piece = { type: "content_block_delta", index, delta };
          yield spoiled(name, `a ${delta.type} behind ${k}`, "F20", [...before, piece, ...behind]);
        }
      }
      const between = open === undefined ? before.length > 0 : open.type === "content_block_stop";
      if (!between || behind.every(({ type }) => type === "message_stop")) continue;
      for (const type of ["cube", "server_tool_use", "container_upload"]) {
        yield spoiled(name, `a block of type ${type} behind ${k}`, "F20", withBlock(before, behind, type));
      }
    }
    for (const field of ["x", "message", "delta", "usage"]) {
      const wider = events.map((event) => (field in event ? event : { ...event, [field]: { new: true } }));
      yield spoiled(name, `each event with a field ${field}`, "F20", wider as Events);
    }
  }
}

function withBlock(before: Events, behind: Events, type: string): Events {
  const index = before.filter(({ type: kind }) => kind === "content_block_stop").length;
  const shifted = behind.map((event) =>
    typeof event["index"] === "number" ? { ...event, index: event["index"] + 1 } : event,
  );
  return [
    ...before,
    { type: "content_block_start", index, content_block: { type, id: "srvtoolu_1", name: "fly", input: {} } },
    { type: "content_block_stop", index },
    ...shifted,
  ];
}

/** The stream with signatures over what its thinking has become, as a provider that means it would sign it. */
function signed(events: Events): Events {
  const thoughts = new Map<unknown, string>();
  const end = events.findIndex(({ type }) => type === "message_stop");
  for (const { type, index, delta } of events.slice(0, end === -1 ? events.length : end)) {
    const piece = type === "content_block_delta" ? (delta as Fields)["thinking"] : undefined;
    if (typeof piece === "string") thoughts.set(index, (thoughts.get(index) ?? "") + piece);
  }
  return events.map((event) => {
    const delta = event["delta"] as Fields | undefined;
    const thought = thoughts.get(event["index"]);
    if (delta?.["type"] !== "signature_delta" || thought === undefined) return event;
    return { ...event, delta: { ...delta, signature: signThinking(thought) } };
  });
}

/** Thinking that lost its signature is told from what some endpoints send by nobody but the provider that signs. */
function isSignature({ delta }: Event): boolean {
  return (delta as Fields | undefined)?.["type"] === "signature_delta";
}
