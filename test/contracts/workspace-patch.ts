import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tree } from "../../src/base/hash.ts";
import { atBase, type MakeWorkspace, type PinnedFiles, put, treeOf } from "./given-workspace.ts";

const lines = (...numbers: readonly number[]) => numbers.map((n) => `line ${n}\n`).join("");
const many = lines(...Array.from({ length: 60 }, (_, at) => at));
const noise = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7919) % 251));
const oddNames = [
  "with space .txt",
  " b/leading",
  "quo\"te's\\back.txt",
  "tab\tand\nline.txt",
  "\u00e4\u4e2d\u{1f600}.txt",
  "-dash",
  "st*r[1]?.txt",
  ":(top)x",
  "dev/null",
];

const base: PinnedFiles = {
  ".gitignore": "*.log\n",
  // Whoever reads the patch has these, and so would git where it made it, if it looked.
  ".gitattributes": "*.ps -diff\n*.gen binary\n*.doc diff=none\n",
  "apart.txt": many,
  "crlf.txt": "a\r\nb\r\n",
  "spaces.txt": "a \n\tb\n",
  "endless.txt": "a\nb",
  "ended.txt": "a\nb\n",
  "empty.txt": "",
  "emptied.txt": "gone\n",
  "page.ps": "a\nb\n",
  "out.gen": "a\nb\n",
  "text.doc": "a\nb\n",
  "patch.txt": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
  "plain.sh": "#!/bin/sh\n",
  "both.sh": "#!/bin/sh\n",
  "run.sh": { mode: "100755", content: "#!/bin/sh\n" },
  "moved.txt": many,
  "gone/deep/a.txt": "a\n",
  "gone/deep/b.txt": "b\n",
  "was-file": "a\n",
  "was-folder/a.txt": "a\n",
  "was-text": "a\n",
  "was-link": { mode: "120000", content: "ended.txt" },
  "turned-link": { mode: "120000", content: "ended.txt" },
  "gone-link": { mode: "120000", content: "ended.txt" },
  ...Object.fromEntries(oddNames.map((name) => [name, "before\n"])),
};

/** Everything that a change can do to a path. */
function change(dir: string): void {
  const at = (path: string) => join(dir, path);
  const replace = (path: string, from: string, to: string) =>
    put(dir, path, readFileSync(at(path), "utf8").replace(from, to));
  replace("apart.txt", "line 3\n", "");
  replace("apart.txt", "line 55\n", "x\ny\n");
  replace("crlf.txt", "b\r\n", "c\r\nd\n");
  replace("spaces.txt", "a \n", "a  \n\n  \n");
  put(dir, "endless.txt", "a\nb\n");
  put(dir, "ended.txt", "a\nb");
  rmSync(at("empty.txt"));
  put(dir, "emptied.txt", "");
  put(dir, "new-empty.txt", "");
  for (const path of ["page.ps", "out.gen", "text.doc"]) replace(path, "b", "c");
  replace("patch.txt", "+b\n", "+b\n\\ No newline at end of file\ndiff --git a/x b/x\n");
  chmodSync(at("plain.sh"), 0o755);
  put(dir, "both.sh", "#!/bin/bash\n");
  chmodSync(at("both.sh"), 0o755);
  chmodSync(at("run.sh"), 0o644);
  chmodSync(put(dir, "new-run.sh", "#!/bin/sh\n"), 0o755);
  mkdirSync(at("to"));
  renameSync(at("moved.txt"), at("to/moved.txt"));
  rmSync(at("gone"), { recursive: true });
  rmSync(at("was-file"));
  put(dir, "was-file/a.txt", "a\n");
  rmSync(at("was-folder"), { recursive: true });
  put(dir, "was-folder", "a\n");
  for (const path of ["was-text", "was-link", "turned-link", "gone-link"]) rmSync(at(path));
  symlinkSync("ended.txt", at("was-text"));
  put(dir, "was-link", "ended.txt");
  symlinkSync("../else where", at("turned-link"));
  symlinkSync("nowhere", at("new-link"));
  for (const name of oddNames) put(dir, name, "after\n");
  put(dir, "long-line.txt", `${"x".repeat(200_000)}\n`);
  put(dir, "latin1.txt", Buffer.from([0xe4, 0xf6, 0x0a, 0xff]));
  put(dir, "wide.txt", Buffer.from("wide\n", "utf16le"));
  put(dir, "image.bin", noise(300_000));
  const odd = Buffer.concat([Buffer.from(at("")), Buffer.from([0xff, 0x2e, 0x74])]);
  writeFileSync(odd, "a byte that is no text in its name\n");
}

/** A repository of a person that has the folder's files as its one commit. */
function repositoryOf(dir: string) {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trim();
  git("init", "-q");
  git("add", "--all", "--force");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base");
  return git;
}

/** The part of the port `Workspace` that makes patches, held against git itself. */
export function patchContract(make: MakeWorkspace): void {
  describe("the patch between two trees", () => {
    it("gives git exactly the other tree, whatever was changed, and back again", async () => {
      await using bench = await make({ base });
      const { workspace, room } = bench;
      const dir = await atBase(bench);
      put(dir, "bin.bin", noise(2000));
      const from = await treeOf(workspace, dir);
      const [person, plain, file] = [join(room, "person"), join(room, "plain"), join(room, "the.patch")];
      cpSync(dir, person, { recursive: true, verbatimSymlinks: true });
      cpSync(dir, plain, { recursive: true, verbatimSymlinks: true });
      const git = repositoryOf(person);
      expect(git("rev-parse", "HEAD^{tree}")).toBe(from);
      change(dir);
      put(dir, "bin.bin", noise(2500).subarray(7));
      const to = await treeOf(workspace, dir);
      const patch = await workspace.objects.patch({ from, to, bytesMax: 10_000_000 });
      writeFileSync(file, patch ?? "");
      expect((await workspace.diff(from, to)).length).toBeGreaterThan(40);
      git("apply", "--index", "--whitespace=nowarn", file);
      expect(git("write-tree")).toBe(to);
      // Also without a repository, which knows nothing of what is staged.
      execFileSync("git", ["apply", "--whitespace=nowarn", file], { cwd: plain, stdio: "pipe" });
      expect(await treeOf(workspace, plain)).toBe(to);
      git("apply", "--index", "--reverse", "--whitespace=nowarn", file);
      expect(git("write-tree")).toBe(from);
    });

    it("is empty where nothing differs, none where it is too long, and thrown where a tree is not here", async () => {
      await using bench = await make({ base });
      const { workspace } = bench;
      const { baseTree: from, objects } = workspace;
      expect(await objects.patch({ from, to: from, bytesMax: 10 })).toHaveLength(0);
      const dir = await atBase(bench);
      put(dir, "new.txt", many);
      const to = await treeOf(workspace, dir);
      const whole = await objects.patch({ from, to, bytesMax: 10_000 });
      const { length } = whole ?? [];
      expect(await objects.patch({ from, to, bytesMax: length ?? 0 })).toEqual(whole);
      expect(await objects.patch({ from, to, bytesMax: (length ?? 0) - 1 })).toBeNull();
      await expect(objects.patch({ from, to: "4".repeat(40) as Tree, bytesMax: 10 })).rejects.toThrow();
    });
  });
}
