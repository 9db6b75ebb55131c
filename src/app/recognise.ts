import type { AskInputs } from "../command/asks.ts";
import { type Command, commandOf } from "../command/command.ts";
import { type RunFacts, readTrigger, type Trigger } from "../command/trigger.ts";
import { type Outcome, outcome } from "./outcome.ts";

export type Recognised =
  | { readonly kind: "asked"; readonly trigger: Trigger; readonly command: Command }
  | { readonly kind: "settled"; readonly outcome: Outcome };

/** Whether an event is for us, from its payload alone: nothing is asked of GitHub, and nothing heavy is loaded before. */
export function recognise(
  event: { readonly name: string; readonly payload: unknown },
  facts: RunFacts,
  inputs: AskInputs & { readonly triggerPhrase: string },
): Recognised {
  const read = readTrigger(event.name, event.payload, facts, inputs);
  switch (read.kind) {
    case "ignored":
      return settled(outcome("ignored", "not-for-us", read.why));
    case "refused":
      // Anybody can edit a comment of theirs: that alone must not make a red run.
      return settled(outcome("refused", read.code, read.why, read.code === "edited" ? { exit: 0 } : {}));
    case "read": {
      const command = commandOf(read.trigger, inputs.triggerPhrase);
      if (command !== null) return { kind: "asked", trigger: read.trigger, command };
      return settled(
        outcome("ignored", "no-command", `the comment does not begin with ${inputs.triggerPhrase}`),
      );
    }
  }
}

function settled(outcome: Outcome): Recognised {
  return { kind: "settled", outcome };
}
