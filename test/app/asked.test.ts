import { expect, it } from "vitest";
import { askedAt } from "../../src/app/asked.ts";
import type { EffectState } from "../../src/session/state.ts";
import { sessionId } from "../kit/given.ts";

const session = sessionId();
const made: EffectState = { status: "done", detail: "5", url: "https://github.example/5" };
const refused: EffectState = { status: "refused", detail: "it is locked", url: null };

it("People are sent to the comment that asks what is asked now, and never to one of before", () => {
  const first = { [`${session}/question/call_1`]: made };
  const second = { ...first, [`${session}/question/call_2`]: refused };
  const more = { [`${session}/approval/call_3`]: made, [`${session}/comment`]: made };
  expect(askedAt({ ...first, ...more }, session, "question")).toBe(made.url);
  expect(askedAt({ ...second, ...more }, session, "question")).toBeNull();
  expect(askedAt(more, session, "question")).toBeNull();
});
