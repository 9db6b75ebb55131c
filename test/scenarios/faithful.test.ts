import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { processesOf } from "../kit/processes.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { expectEnding, fileAt, fixesSum, toldIn } from "./given.ts";

const [fix = say("")] = fixesSum;
/** Leaves a process behind, and is red where it has a secret, or any network but its own loopback. */
const check = `checks:
  - name: test
    run: |
      (trap '' HUP INT TERM; exec setsid sleep 86399) >/dev/null 2>&1 &
      ${canSandbox ? "test $(grep -c : /proc/net/dev) = 1 || exit 2" : ""}
      env | grep -iE 'anthropic|token|secret|sk-' && exit 3
      node sum.test.mjs
`;
const files = {
  ".github/agent.yml": check,
  ".gitignore": "local.mjs\n",
  "gone.txt": "gone\n",
  "moved.txt": "moved\n",
};
const odd = [
  "chmod +x sum.mjs",
  "ln -s sum.mjs 'a link'",
  "rm gone.txt",
  "mkdir -p 'a folder/ä ö'",
  "mv moved.txt 'a folder/ä ö/moved \"so\".txt'",
  "printf '\\000\\001\\377\\r\\n\\200' > raw.bin",
  "printf 'one\\r\\ntwo' > crlf.txt",
  "head -c 900000 /dev/zero > large.bin",
].join(" && ");

describe("what is delivered", () => {
  it("is the tree of the checks to the byte, without what was ignored or left running", async () => {
    const imports = 'import { add } from "./local.mjs";\nexport const sum = add;\n';
    const own = "export const sum = (a, b) => a + b;\n";
    await using world = await givenWorld({
      files,
      script: [
        use("write", { path: "local.mjs", content: "export const add = (a, b) => a + b;\n" }),
        use("write", { path: "sum.mjs", content: imports }),
        use("shell", { command: "node sum.test.mjs && echo it passes here" }),
        say("Add in sum"),
        ...[
          use("write", { path: "sum.mjs", content: own }),
          use("shell", { command: odd }),
          say("Add in sum"),
        ],
        ...[fix, use("edit", { path: "sum.mjs", old: "a + b", new: "a - b" })],
        ...[
          use("write", { path: "local.mjs", content: "// Fixed.\n" }),
          say("Fixed. The pull request is open."),
        ],
      ],
    });
    let left: readonly string[] = ["main has not ended"];
    const machine = world.machine();
    const result = await world.finish(world.asked(), {
      machine,
      afterMain: async () => {
        left = processesOf(machine);
      },
    });
    const opened = { branches: [/^agent\/1-/], pulls: 1 };
    await expectEnding(world, result, {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, thread: 1, requests: 7, ...opened },
    });
    // It passed where the model works, and not where only the tree is.
    expect(toldIn(world, 3)).toContain("it passes here");
    expect(toldIn(world, 4)).toMatch(/Cannot find module '[^']*\/local\.mjs'/);
    if (canSandbox) expect(left).toEqual([]);

    const branch = result.outputs["branch"] ?? "";
    // With an author of our own GitHub would not sign it.
    const [pull] = await world.github.pulls();
    expect(world.github.git("log", "-1", "--format=%P %B", branch)).toMatch(
      new RegExp(
        `^${pull?.base.sha} Add in sum\\n[\\s\\S]*\\nCo-authored-by: maintainer <\\d+\\+maintainer@users\\.noreply`,
      ),
    );
    const commits = world.github.exchanges.filter(({ path }) => /\/git\/commits$/.test(path));
    // The lease's, and this one.
    expect(commits.map(({ requestBody }) => Object.keys(requestBody ?? {}).toSorted())).toEqual([
      ["message", "parents", "tree"],
      ["message", "parents", "tree"],
    ]);
    const changed = world.github.git(
      "-c",
      "core.quotePath=false",
      "diff",
      "--raw",
      "-z",
      "--no-renames",
      "main",
      branch,
    );
    const seen = changed.split("\0:").map((entry) => {
      const [head = "", path = ""] = entry.replace(/^:/, "").split("\0");
      const [from, to, , , status] = head.split(" ");
      return `${status} ${from} ${to} ${path}`;
    });
    expect(seen.toSorted()).toEqual([
      'A 000000 100644 a folder/ä ö/moved "so".txt',
      "A 000000 100644 crlf.txt",
      "A 000000 100644 large.bin",
      "A 000000 100644 raw.bin",
      "A 000000 120000 a link",
      "D 100644 000000 gone.txt",
      "D 100644 000000 moved.txt",
      "M 100644 100755 sum.mjs",
    ]);
    expect(fileAt(world, branch, "a link")).toBe("sum.mjs");
    const idOf = (path: string) => world.github.git("rev-parse", `${branch}:${path}`).trim();
    expect(idOf('a folder/ä ö/moved "so".txt')).toBe(world.github.git("rev-parse", "main:moved.txt").trim());
    expect(idOf("raw.bin")).toBe(blobId(Buffer.from([0, 1, 0xff, 13, 10, 0x80])));
    expect(idOf("crlf.txt")).toBe(blobId(Buffer.from("one\r\ntwo")));
    expect(idOf("sum.mjs")).toBe(blobId(Buffer.from(own)));
    expect(idOf("large.bin")).toBe(blobId(Buffer.alloc(900_000)));

    const again = world.asked();
    await expectEnding(world, await world.finish(again), {
      ...{ outcome: "no-change", reason: "no-change", exit: 0, thread: again.issue, requests: 11, ...opened },
      says: /no file was changed, so there is nothing to publish\. The model says:\s+Fixed\. The pull request is open\./,
    });
  });
});

/** As git names a file. */
function blobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
