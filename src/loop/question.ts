import type { Payload } from "../session/event.ts";
import type { End } from "./end.ts";

/** The tool with which the model puts a question to people. */
export const askTool = "ask";

/** A question that waits for its answer: the call, and the arguments as the log has them. */
export type Asking = { readonly id: string; readonly arguments: Payload };

/** The end of a run whose model waits for an answer, or null. */
export async function askedEnd({
  facts,
  load,
}: {
  readonly facts: { readonly asking: readonly Asking[] };
  readonly load: (payload: Payload) => Promise<string>;
}): Promise<End | null> {
  const [first] = facts.asking;
  if (first === undefined) return null;
  const questions = await Promise.all(
    facts.asking.map(async (asking) => questionIn(await load(asking.arguments))),
  );
  return { kind: "asked", id: first.id, question: questions.join("\n\n") };
}

function questionIn(text: string): string {
  // Only ever arguments that passed the tool's schema.
  const { question } = JSON.parse(text) as { readonly question?: unknown };
  return typeof question === "string" ? question : "";
}
