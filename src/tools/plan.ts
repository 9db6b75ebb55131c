import { array, description, maxLength, minLength, picklist, pipe, strictObject, string } from "valibot";
import { defineTool } from "./define.ts";
import { counted, ok } from "./outcome.ts";
import { words } from "./words.ts";

const schema = strictObject({
  items: pipe(
    array(
      strictObject({
        text: pipe(
          string(),
          minLength(1),
          maxLength(300),
          description("One piece of work, in a short sentence."),
        ),
        status: pipe(
          picklist(["open", "doing", "done"]),
          description("`doing` for at most one item at a time."),
        ),
      }),
    ),
    maxLength(40),
    description("The whole plan, in order. It replaces the one before; an empty list clears it."),
  ),
});

export const plan = defineTool({
  name: "plan",
  description: words.plan,
  class: "read",
  schema,
  run: async ({ items }) => {
    const of = (status: "open" | "doing" | "done"): number =>
      items.filter((item) => item.status === status).length;
    if (of("doing") > 1) {
      return ok(`Plan taken. ${counted(of("doing"), "item")} are being done at once; one is meant.`, items);
    }
    return ok(`Plan taken: ${of("done")} done, ${of("doing")} being done, ${of("open")} open.`, items);
  },
});
