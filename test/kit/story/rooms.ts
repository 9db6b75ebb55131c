// What the processes of a story run on their machine: setup, tools and checks.
import { memoryChecks } from "../../../src/adapters/memory/checks.ts";
import { type MemoryTool, memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import type { Rooms, SetupRun } from "../../../src/app/means.ts";
import type { CheckRun } from "../../../src/gate/checks.ts";
import { dirs, type MemoryMachine, memoryPlace } from "../race/memory-workspace.ts";

/** Commands in the directories of this machine; what ran is noted in `ran`. `external` is without a sandbox. */
export function roomsOn(machine: MemoryMachine, ran: string[], external: boolean): Rooms {
  return {
    impossible: async () => null,
    setup: async ({ base }, commands) => {
      const files = machine.dirs.get(base);
      ran.push(base === dirs.base ? "setup" : `setup on ${files?.get(manifest)}`);
      return commands.map((command) => setUp(command, files));
    },
    place: () => memoryPlace(machine),
    open: async ({ work }) => {
      const files = machine.dirs.get(work);
      if (files === undefined) throw new Error(`there is no directory ${work}`);
      const toolbox = memoryToolbox(toolsIn(files, { ran, external }));
      const sandbox = external ? "off" : "memory";
      return {
        kind: "open",
        room: { sandbox, pid: null, toolbox, [Symbol.asyncDispose]: async () => undefined },
      };
    },
    checks: () =>
      memoryChecks(({ name }, tree): CheckRun => {
        ran.push(`check ${name}`);
        const files = machine.trees.get(tree);
        // Both lines belong together: half of the fix is what turns this check red.
        const isRight =
          name === "installed"
            ? files?.get(installed) === files?.get(manifest)
            : name === "first" || files?.get("a.txt") === "a\n" || files?.get("b.txt") === "fixed\n";
        const result = isRight ? { exitCode: 0, output: "ok" } : { exitCode: 1, output: "b is wrong" };
        return { ...result, timedOut: false, cancelled: false, ms: 10 };
      }),
  };
}

const manifest = "package.json";
const installed = "installed.json";

/** `install` leaves a copy of the manifest, which git does not ignore; it fails where that says so. `rewrite` alters it. */
function setUp(command: string, files: Map<string, string> | undefined): SetupRun {
  const wanted = files?.get(manifest) ?? "";
  if (command === "rewrite") files?.set(manifest, `${wanted} `);
  if (command !== "install") return { command, exitCode: 0, ms: 1, output: "" };
  if (wanted.includes("missing")) return { command, exitCode: 3, ms: 1, output: "no such package\n" };
  files?.set(installed, wanted);
  return { command, exitCode: 0, ms: 1, output: "installed\n" };
}

/** A tool that reads these files, one that writes them, and one that asks people. */
export function toolsIn(
  files: Map<string, string>,
  { ran, external }: { readonly ran: string[]; readonly external: boolean },
): readonly MemoryTool[] {
  return [
    {
      name: "read",
      class: "read",
      required: ["path"],
      run: async ({ path = "" }, { call }) => {
        ran.push(`read ${call.id}`);
        return files.get(path) ?? "no such file";
      },
    },
    { name: "ask", class: "read", required: ["question"], run: async () => "It was put to people." },
    {
      name: "write",
      class: external ? "external" : "workspace",
      required: ["path", "text"],
      run: async ({ path = "", text = "" }, { call }) => {
        ran.push(`write ${call.id}`);
        files.set(path, text);
        return `wrote ${path}`;
      },
    },
  ];
}
