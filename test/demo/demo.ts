// `npm run demo`: a real bug in a real package, fixed by Baton on two machines, the first of which dies.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { sandboxKinds } from "../../src/adapters/sandbox/kind.ts";
import { newFolder } from "../kit/folder.ts";
import type { Run } from "../kit/runner/run.ts";
import { type DemoArguments, readArguments } from "./arguments.ts";
import { audit } from "./audit.ts";
import { openJournal } from "./journal.ts";
import { liveModel, scriptedModel, wordsFile } from "./model.ts";
import { check, copyModules } from "./repository.ts";
import {
  EndedTooSoon,
  type FirstAct,
  firstAct,
  type SecondAct,
  type Stage,
  secondAct,
  startDemoGitHub,
} from "./story.ts";
import { openTimeline, type Timeline } from "./timeline.ts";
import { type Summary, summarise } from "./verdict.ts";

const root = resolve(import.meta.dirname, "../..");
const read = readArguments(process.argv.slice(2), { root, key: process.env["ANTHROPIC_API_KEY"] });
if (read.kind === "refused") {
  process.stderr.write(`demo: ${read.why}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await demo(read.arguments);
}

async function demo(given: DemoArguments): Promise<number> {
  const timeline = openTimeline((text) => process.stdout.write(text));
  const possible = await sandboxKinds();
  const summary = await playOnce(given, possible.kind === "some" ? "on" : "off", timeline).catch(
    (error: unknown) => {
      // Only the run itself can tell whether the sandbox holds here: it refuses to start in one that does not.
      if (!(error instanceof EndedTooSoon) || error.result.outputs["reason"] !== "sandbox") throw error;
      timeline.plain(`\nThe sandbox does not hold on this machine: ${error.result.outputs["report"]}\n`);
      return playOnce(given, "off", timeline);
    },
  );
  process.stdout.write(`${JSON.stringify(summary.line)}\n`);
  return summary.holds ? 0 : 1;
}

async function playOnce(given: DemoArguments, sandbox: "on" | "off", timeline: Timeline): Promise<Summary> {
  const scratch = newFolder("demo");
  const runs: Run[] = [];
  const clean = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  const stop = () => {
    for (const run of runs) run.kill("SIGKILL");
    clean();
    process.exit(130);
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  try {
    return await play(given, { scratch, sandbox, timeline, started: (run) => runs.push(run) });
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, stop);
    for (const run of runs) run.kill("SIGKILL");
    clean();
  }
}

async function play(
  given: DemoArguments,
  about: Pick<Stage, "scratch" | "sandbox" | "timeline" | "started">,
): Promise<Summary> {
  const { out, live, action } = given;
  const { scratch, sandbox, timeline } = about;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const modules = join(scratch, "packages", "node_modules");
  mkdirSync(modules, { recursive: true });
  const packages = copyModules(modules);
  await using model = await (live === null ? scriptedModel(timeline) : liveModel(live, timeline));
  using journal = openJournal({
    dir: join(scratch, "journal"),
    file: join(out, "journal.jsonl"),
    onLine: ({ label, detail }) => timeline.detail(`journal: ${label} ${detail}`),
  });
  await using github = await startDemoGitHub(join(scratch, "git"));
  introduce(timeline, { live: live !== null, packages, sandbox });
  const stage: Stage = { ...about, action, github, model, journal, modules };
  const first = await firstAct(stage);
  const second = await secondAct(stage, first);
  return await conclude(stage, { first, second, out });
}

async function conclude(
  stage: Stage,
  { first, second, out }: { readonly first: FirstAct; readonly second: SecondAct; readonly out: string },
): Promise<Summary> {
  const { github, model, timeline } = stage;
  timeline.act("Afterwards: an independent program looks at the evidence");
  const branch = second.result.outputs["branch"] || null;
  const session = join(out, "session");
  const findings = await audit({
    github,
    base: first.base,
    branch,
    check,
    modules: stage.modules,
    secret: model.key,
    runs: [first.run, second.run],
    killedAt: first.killedAt,
    journal: stage.journal.file,
    journalled: model.kind === "scripted",
    work: join(stage.scratch, "audit"),
    session,
  });
  const [pull] = await github.pulls();
  const body = join(out, "pull-request.md");
  writeFileSync(
    body,
    pull === undefined ? "No pull request was opened.\n" : `# ${pull.title}\n\n${pull.body ?? ""}\n`,
  );
  const status = join(out, "comment.md");
  writeFileSync(status, github.comments(first.issue).at(-1)?.body ?? "");
  const summary = summarise(
    {
      first,
      second,
      findings,
      model,
      pull: pull === undefined ? null : { number: pull.number, draft: pull.draft ?? false },
      problems: github
        .problems()
        .flatMap(({ method, path, problems }) => problems.map((one) => `${method} ${path}: ${one}`)),
      sandbox: stage.sandbox,
      seconds: timeline.seconds(),
    },
    timeline,
  );
  timeline.act("Left to look at");
  timeline.plain(`  ${shown(session)}  the session: its log, one record a line`);
  timeline.plain(`  ${shown(body)}  the pull request, as a reviewer reads it`);
  timeline.plain(`  ${shown(status)}  the status comment`);
  timeline.plain(`  ${shown(stage.journal.file)}  what the tool processes wrote, past Baton's log`);
  timeline.plain(`  ${shown(wordsFile)}  every word of the scripted model\n`);
  return summary;
}

function introduce(
  timeline: Timeline,
  {
    live,
    packages,
    sandbox,
  }: { readonly live: boolean; readonly packages: number; readonly sandbox: "on" | "off" },
): void {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
  };
  timeline.plain(
    `Baton ${version}: a real bug in fastq 1.16.0, fixed on two machines, the first of which dies.`,
  );
  timeline.plain(
    live
      ? "The model is the real one, so the story may go another way."
      : `Only the model's words are scripted (${shown(wordsFile)}). The action is dist/, as the runner runs it;`,
  );
  if (!live)
    timeline.plain(
      "git, tools, checks, artifacts and the kill are real; GitHub is a local server on loopback.",
    );
  timeline.plain(
    `There is no network: the setup command copies the ${packages} packages that the tests need.`,
  );
  if (sandbox === "on") return;
  timeline.plain(
    "This machine cannot make the sandbox, so it is off. Not exercised here: that tools see no key, reach",
  );
  timeline.plain("no network, and die with the run.");
}

function shown(path: string): string {
  const short = relative(root, path);
  return short.startsWith("..") ? path : short;
}
