// Sessions that come to wait for people, and what they ask.
import { type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const ask = (question: string) => ({ name: "ask", input: { question } });
export const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
export const approve = "approve: [write]\n";
export const asking: readonly Step[] = [
  { calls: [ask("Tabs or spaces?")] },
  { calls: [write("a.txt"), write("b.txt")] },
  { text: "Fix a and b" },
];
export const writing: readonly Step[] = [
  { calls: [write("a.txt"), write("b.txt")] },
  { text: "Fix a and b" },
];

/** Comments of ours that ask people, oldest first. */
export const asks = ({ github }: Stage) =>
  github.comments.filter(({ body }) => /:(?:question|approval):/.test(body));
export const inputsIn = (life: Played) =>
  eventsOf(life).flatMap((event) => (event.type === "input.accepted" ? [event.id] : []));
export const leasesOf = ({ leases }: Stage) => structuredClone(leases.leases);

export async function given(steps: readonly Step[], config?: string) {
  const stage = givenStage(config === undefined ? {} : { config });
  const next = (options: LifeOptions = {}) => live(stage, { model: tellsStory(steps), ...options });
  return { stage, next };
}
