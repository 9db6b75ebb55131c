// The story that is killed everywhere: reads at once, a plan, an edit, a command, a red gate, the right fix, a command
// beside a read, a green gate, a pull request.
import { calls, type Reply, type Step, say, use } from "../model/script.ts";
import { blocksOf, type WireRequest } from "../model/wire.ts";
import { sumFiles } from "../world.ts";

/** Names the directory of the journal's pipes; the commands of the story write into it. */
export const journalVariable = "BATON_TEST_JOURNAL";

export const storyFiles: Readonly<Record<string, string>> = {
  ".gitignore": "built.txt\n",
  ".github/agent.yml": `env: [${journalVariable}]
setup:
  - echo built > built.txt
baseline: gate
checks:
  - { name: test, run: test -f built.txt && node sum.test.mjs }
`,
};

const fixed = "export const sum = (a, b) => a + b;\n";

/** Everything that the branch has to hold in the end, by path. */
export const storyEnd: Readonly<Record<string, string>> = {
  ...sumFiles,
  ...storyFiles,
  "sum.mjs": fixed,
  "notes.txt": "noted\n",
  "both.txt": `${fixed}noted\n`,
};

/** As many steps as any number of runs can take: what is said depends on the conversation alone. */
export function storyScript(): readonly Step[] {
  return Array.from({ length: 20_000 }, () => tellOn);
}

/** The case that a request belongs to, by the title of its issue. */
export function labelIn({ messages: [first] }: WireRequest): string {
  return /case-[\w.-]+/.exec(JSON.stringify(first?.content))?.[0] ?? "case-unknown";
}

function tellOn(body: WireRequest): Reply {
  const label = labelIn(body);
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

/** What a command of the story writes into the pipe: whose it is, which of the two, and which reply called for it. */
export type Ran = { readonly label: string; readonly command: string; readonly reply: string };

export const ranPattern = /shell (case-[\w.-]+) (\d+) (r\d+)/;

export function ranIn(text: string): Ran | null {
  const [, label = "", command = "", reply = ""] = ranPattern.exec(text) ?? [];
  return label === "" ? null : { label, command, reply };
}

let repliesGiven = 0;

function replies(label: string): readonly Reply[] {
  repliesGiven += 1;
  const tell = (command: number): string =>
    `echo "shell ${label} ${command} r${repliesGiven}" > "$${journalVariable}/calls"`;
  const plan = (status: string) => ({ name: "plan", input: { items: [{ text: "Mend sum", status }] } });
  return [
    calls([
      { name: "read", input: { path: "sum.mjs" } },
      { name: "read", input: { path: "sum.test.mjs" } },
      { name: "search", input: { pattern: "sum" } },
    ]),
    calls([plan("doing")]),
    use("edit", { path: "sum.mjs", old: "a - b", new: "a + b + 1" }),
    // The file grows by a line for each time that the command ran and was not undone.
    use("shell", { command: `echo noted >> notes.txt && ${tell(1)}` }),
    say("Add in sum"),
    calls([{ name: "edit", input: { path: "sum.mjs", old: "a + b + 1", new: "a + b" } }, plan("done")]),
    calls([
      { name: "read", input: { path: "sum.mjs" } },
      { name: "shell", input: { command: `cat sum.mjs notes.txt > both.txt && ${tell(2)}` } },
    ]),
    say("Add in sum\n\nIt subtracted, and then it added one too many."),
  ];
}
