import { digestOf } from "../base/hash.ts";
import type { Block } from "../session/event.ts";
import { excerpt, quotation } from "./excerpt.ts";
import type { Message } from "./model.ts";

/** `boundary` marks its sections; nothing that stands in them can know it. */
export type Transcript = { readonly text: string; readonly boundary: string };

type Section = {
  readonly label: string;
  readonly text: string;
  /** What others print or hold can be found again, so it is cut first. */
  readonly kind: "said" | "found";
};

// Bytes of one section: what was said, and what was found, which is halved until all of it fits.
const saidBytesMax = 24 * 1024;
const foundBytesMax = 3 * 1024;
const foundBytesMin = 200;

/**
 * A conversation as text for who has to summarise it, of at most about `bytesMax` bytes. Thinking is left out, long
 * outputs are cut, and where that is not enough, whole sections behind the first, with their number.
 */
export function transcriptOf(
  messages: readonly Message[],
  { bytesMax }: { readonly bytesMax: number },
): Transcript {
  const boundary = digestOf(JSON.stringify(messages)).slice(0, 16);
  const names = new Map<string, string>();
  const sections = messages.flatMap(({ role, content }) =>
    content.flatMap((block) => sectionOf(block, role, names)),
  );
  const saidMax = Math.min(saidBytesMax, Math.floor(bytesMax / 4));
  let parts: readonly string[] = [];
  for (let foundMax = Math.min(foundBytesMax, saidMax); ; foundMax = Math.floor(foundMax / 2)) {
    const bytesOf = (kind: Section["kind"], at: number): number => {
      if (kind === "found") return foundMax;
      // An earlier summary ends with its words, behind what people said.
      return at === 0 ? Math.min(2 * saidMax, Math.floor(bytesMax / 4)) : saidMax;
    };
    parts = sections.map(({ label, text, kind }, at) =>
      quotation(label, excerpt(text, bytesOf(kind, at)), boundary),
    );
    if (bytesIn(parts) <= bytesMax || foundMax < foundBytesMin) break;
  }
  return { text: fitted(parts, bytesMax).join("\n\n"), boundary };
}

function sectionOf(block: Block, role: Message["role"], names: Map<string, string>): readonly Section[] {
  switch (block.type) {
    case "text":
      return [
        {
          label: role === "user" ? "told to the agent" : "said by the agent",
          text: textIn(block["text"]),
          kind: "said",
        },
      ];
    case "tool_use": {
      const name = `${textIn(block["name"])} ${textIn(block["id"])}`;
      names.set(textIn(block["id"]), name);
      return [{ label: `call of ${name}`, text: textIn(block["input"]), kind: "found" }];
    }
    case "tool_result": {
      const id = textIn(block["tool_use_id"]);
      const failed = block["is_error"] === true ? ", which failed" : "";
      return [
        { label: `result of ${names.get(id) ?? id}${failed}`, text: textIn(block["content"]), kind: "found" },
      ];
    }
    case "image":
      return [{ label: "told to the agent", text: "(a picture)", kind: "said" }];
    default:
      return [];
  }
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The first section says what it is all about, and the last ones where it stands. */
function fitted(parts: readonly string[], bytesMax: number): readonly string[] {
  if (bytesIn(parts) <= bytesMax) return parts;
  const [first = "", ...rest] = parts;
  let room = bytesMax - bytesIn([first]);
  let kept = rest.length;
  while (kept > 0 && room >= bytesIn(rest.slice(kept - 1, kept))) {
    kept -= 1;
    room -= bytesIn(rest.slice(kept, kept + 1));
  }
  return [first, `(${kept} sections left out here)`, ...rest.slice(kept)];
}

function bytesIn(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 2, 0);
}
