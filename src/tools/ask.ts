import { description, maxLength, minLength, pipe, strictObject, string } from "valibot";
import { askTool } from "../loop/question.ts";
import { defineTool } from "./define.ts";
import { ok } from "./outcome.ts";

const schema = strictObject({
  question: pipe(
    string(),
    minLength(1),
    maxLength(4000),
    description(
      "What you need to know, with the choices that you see. It has to be clear without this conversation.",
    ),
  ),
});

/** Nothing is done here: the loop ends the turn by it, and a person's words in a later run are the answer. */
export const ask = defineTool({
  name: askTool,
  description: [
    "Put a question to the people who follow this session. The run ends after this reply, its other calls included,",
    "and goes on when somebody has answered, which may take days. Use it only where you cannot go on without a",
    "decision that is theirs; where a sensible choice can be made, make it and say so at the end. Put all you need to",
    "know into one question.",
  ].join(" "),
  class: "read",
  schema,
  run: async () => ok("The question was put to people. What they say follows."),
});
