import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { newFolder } from "../../kit/folder.ts";

const adapter = pathToFileURL(path.resolve("src/adapters/disk/files.ts")).href;

/** Two lines, the second one a barrier that names a blob. */
const script = (dir: string): string => `
  import { diskSessionFiles } from ${JSON.stringify(adapter)};
  const files = await diskSessionFiles(${JSON.stringify(dir)}, { durability: "disk" });
  await files.replaceManifest(Buffer.from("{}"), { barrier: false });
  await files.append(Buffer.from("one\\n"), { barrier: false });
  await files.blobs.put(Buffer.from("payload"));
  await files.replaceManifest(Buffer.from("{}"), { barrier: true });
  await files.append(Buffer.from("two\\n"), { barrier: true });
`;

/** What the kernel was asked for under `root`, in order: `fsync agent/s`, with temporary names as `*`. Null without strace. */
function tracedUnder(root: string, work: string): readonly string[] | null {
  const trace = path.join(root, "trace");
  const calls = "trace=write,fsync,fdatasync,rename";
  const node = [process.execPath, "--input-type=module", "--eval", work];
  const ran = spawnSync("strace", ["-f", "-y", "-s", "0", "-e", calls, "-o", trace, ...node], {
    encoding: "utf8",
  });
  if (ran.error !== undefined || !existsSync(trace) || ran.stderr.includes("ptrace")) return null;
  if (ran.status !== 0) throw new Error(`the traced process ended with ${ran.status}: ${ran.stderr}`);
  return readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => {
      const call = /(write|fsync|fdatasync|rename)\(.*?[<"]([^>"]*)[>"]/.exec(line);
      const file = call?.[2];
      if (file === undefined || !file.startsWith(root)) return [];
      return [
        `${call?.[1]} ${path
          .relative(root, file)
          .replace(/[0-9a-f]{64}/, "<blob>")
          .replace(/\.\d+\.tmp$/, "*")}`,
      ];
    });
}

// The model of power losses in test/kit/disk/weak-disk.ts relies on this order.
it("syncs at level D what a line names before the line, and the line at a barrier", ({ skip }) => {
  const root = newFolder("order");
  try {
    const traced = tracedUnder(root, script(path.join(root, "agent", "s")));
    if (traced === null) return skip("strace is not there or may not trace");
    expect(traced).toEqual([
      "fsync agent/s",
      "fsync agent",
      "fsync ",
      ...[
        "write agent/s/session.json*",
        "fsync agent/s/session.json*",
        "rename agent/s/session.json*",
        "fsync agent/s",
      ],
      "write agent/s/events.jsonl",
      "write agent/s/blobs/<blob>*",
      "fsync agent/s/blobs/<blob>*",
      "rename agent/s/blobs/<blob>*",
      "fsync agent/s/blobs",
      ...[
        "write agent/s/session.json*",
        "fsync agent/s/session.json*",
        "rename agent/s/session.json*",
        "fsync agent/s",
      ],
      "write agent/s/events.jsonl",
      "fdatasync agent/s/events.jsonl",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
