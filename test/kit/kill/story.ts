// The story that is killed everywhere: two reads at once, an edit, a command that changes a file, a red gate, the right
// fix, a green gate, a pull request.
import { calls, type Reply, type Step, say, use } from "../model/script.ts";
import { blocksOf, type WireRequest } from "../model/wire.ts";

/** Names the directory of the journal's pipes; the commands of the story write into it. */
export const journalVariable = "BATON_TEST_JOURNAL";

export const storyFiles: Readonly<Record<string, string>> = {
  ".gitignore": "built.txt\n",
  ".github/agent.yml": `env: [${journalVariable}]
setup:
  - echo built > built.txt
checks:
  - { name: test, run: test -f built.txt && node sum.test.mjs }
`,
};

/** What the branch has to hold in the end, in every file that the story touches. */
export const storyEnd: Readonly<Record<string, string>> = {
  "sum.mjs": "export const sum = (a, b) => a + b;",
  "notes.txt": "noted",
};

export const storyCheck = "node sum.test.mjs";

/** A file grows by a line for each time the command ran and was not undone; the pipe gets a line for each time it ran. */
const command = (label: string): string =>
  `echo noted >> notes.txt && echo "shell ${label}" > "$${journalVariable}/calls"`;

/** As many steps as any number of runs can take: what is said depends on the conversation alone. */
export function storyScript(): readonly Step[] {
  return Array.from({ length: 5_000 }, () => tellOn);
}

function tellOn(body: WireRequest): Reply {
  const [first] = body.messages;
  const label = /case-[\w.-]+/.exec(JSON.stringify(first?.content))?.[0] ?? "case-unknown";
  const told = replies(label)[stepOf(body)];
  if (told === undefined) throw new Error(`the story of ${label} is over and the model is asked again`);
  return told;
}

/** Every reply is a step of the story; a call that was undone makes its step come again. */
function stepOf({ messages }: WireRequest): number {
  const said = messages.filter(({ role }) => role === "assistant").length;
  const undone = messages.flatMap(({ content }) =>
    blocksOf(content).filter((block) => JSON.stringify(block).includes("Its changes were discarded")),
  );
  return said - undone.length;
}

function replies(label: string): readonly Reply[] {
  return [
    calls([
      { name: "read", input: { path: "sum.mjs" } },
      { name: "read", input: { path: "sum.test.mjs" } },
    ]),
    use("edit", { path: "sum.mjs", old: "a - b", new: "a + b + 1" }),
    use("shell", { command: command(label) }),
    say("Add in sum"),
    use("edit", { path: "sum.mjs", old: "a + b + 1", new: "a + b" }),
    say("Add in sum\n\nIt subtracted, and then it added one too many."),
  ];
}
