import { description, maxLength, pipe, regex, strictObject, string } from "valibot";
import { askTool } from "../loop/question.ts";
import { defineTool } from "./define.ts";
import { ok } from "./outcome.ts";
import { words } from "./words.ts";

const schema = strictObject({
  question: pipe(
    string(),
    regex(/\S/, "expected a question"),
    maxLength(4000),
    description(
      "What you need to know, with the choices that you see. It has to be clear without this conversation.",
    ),
  ),
});

/** Nothing is done here: the loop ends the turn by it, and a person's words in a later run are the answer. */
export const ask = defineTool({
  name: askTool,
  description: words.ask,
  class: "read",
  schema,
  run: async () => ok("The question was put to people. What they say follows."),
});
