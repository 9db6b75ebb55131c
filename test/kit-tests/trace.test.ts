import { describe, expect, it } from "vitest";
import { pointsOf, withoutRepeatedLog } from "../kit/kill/points.ts";
import { canAim } from "../kit/kill/reference.ts";
import { readTrace } from "../kit/kill/trace.ts";

const around = {
  machine: "/tmp/world/machine-1",
  session: "s0123456789ab",
  peers: { "4000": "GitHub" },
} as const;

const home = "/tmp/world/machine-1/work/_temp/agent/s0123456789ab";

/** As strace prints a process of three threads, and a child until it starts its program. */
const trace = `
100 execve("/usr/bin/node", ["node", "index.js"], 0x1 /* 9 vars */) = 0
100 pipe2([5<pipe:[70]>, 6<pipe:[70]>], O_CLOEXEC) = 0
100 clone3({flags=CLONE_VM|CLONE_THREAD, child_tid=0x7, stack_size=0x1}, 88) = 101
100 write(6<pipe:[70]>, "*", 1) = 1
100 write(1<UNIX-STREAM:[1->2]>, "::add-mask::one\\n", 16) = 16
100 write(1<UNIX-STREAM:[1->2]>, "::add-mask::two\\n", 16) = 16
101 mkdir("/tmp/world/machine-1/work/_temp/shipment-Ab12Cd", 0700) = 0
101 write(19<anon_inode:[eventfd]>, "\\1\\0\\0\\0\\0\\0\\0\\0", 8) = 8
100 openat(AT_FDCWD, "x", O_WRONLY|O_CREAT, 0600) = 22</tmp/world/machine-1/work/_temp/shipment-Ab12Cd/x>
100 write(22</tmp/world/machine-1/work/_temp/shipment-Ab12Cd/x>, "x", 1) = 1
100 write(22<${home}/events.jsonl>, "{\\"seq\\":1,\\"gen\\":1,\\"at\\":5,\\"prev\\":\\"0\\",\\"event\\":{\\"type\\":\\"session.opened\\"", 300) = 300
100 mkdir("${home}/git", 0700) = -1 EEXIST (File exists)
100 mkdir("${home}/git/trees.git", 0700) = 0
100 connect(21<TCP:[9]>, {sa_family=AF_INET, sin_port=htons(4000), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 EINPROGRESS (Operation now in progress)
100 write(21<TCP:[127.0.0.1:50->127.0.0.1:4000]>, "GET /repos/octo/demo/git/matching-refs/agent%2Fs0123456789ab%2F HTTP/1.1\\r\\n", 90 <unfinished ...>
101 unlink("/tmp/world/machine-1/work/_temp/shipment-Ab12Cd/x") = 0
100 <... write resumed>)              = 90
100 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7) = 102
102 write(6<pipe:[70]>, "*", 1) = 1
102 execve("/usr/bin/git", ["git", "-c", "cat-file", "--batch"], 0x2 /* 4 vars */ <detached ...>
101 mkdir("/tmp/world/machine-1/work/_temp/shipment-Ef34Gh", 0700) = 0
100 rename("${home}/session.json.a.tmp", "${home}/session.json" <unfinished ...>
100 <... rename resumed>)             = ?
`.trim();

describe("the points of a traced process", () => {
  const operations = readTrace(trace);
  const points = pointsOf(operations, around);

  it("are its operations under names that no run's own names are part of", () => {
    expect(points.map(({ name }) => name)).toEqual([
      "write to the job log: ::add-mask #1",
      "write to the job log: ::add-mask #2",
      "mkdir shipment-<id> #1",
      "write shipment-<id>/x #1",
      "write agent/<session>/events.jsonl (session.opened) #1",
      "mkdir agent/<session>/git/trees.git #1 behind session.opened #1",
      "connect to GitHub #1 behind session.opened #1",
      "send GET /repos/octo/demo/git/matching-refs/agent/<session>/ to GitHub #1 behind session.opened #1",
      "unlink shipment-<id>/x #1 behind session.opened #1",
      "spawn #1 behind session.opened #1",
      "mkdir shipment-<id> #1 behind session.opened #1",
      "rename agent/<session>/session.json.tmp #1 behind session.opened #1",
    ]);
  });

  it("are counted as the tracer counts them, the thread's calls that are no points included", () => {
    const counted = points.map(({ thread, syscall, nth }) => `${thread} ${syscall} ${nth}`);
    expect(counted.slice(4, 8)).toEqual(["own write 5", "own mkdir 2", "own connect 1", "own write 6"]);
    expect(points[3]).toMatchObject({ isOpened: true, opens: 1, behind: 0 });
    expect(points[7]).toMatchObject({ behind: 1, since: { nth: 1, opens: 0 } });
    expect(points[4]?.file).toEqual({
      path: "<machine>/work/_temp/agent/<session>/events.jsonl",
      nth: 1,
      since: 1,
    });
  });

  it("tell the operation that the process died in by its having no result", () => {
    expect(operations.filter(({ result }) => result === null)).toMatchObject([{ syscall: "rename", nth: 1 }]);
  });

  it("leave out writes to the job log that follow another one", () => {
    expect(withoutRepeatedLog(points)).toEqual(points.filter((_, i) => i !== 1));
  });

  it("cannot all be aimed at in the pool: the script's thread may come to the same count before", () => {
    expect(points.filter((point) => !canAim(point, points)).map(({ name }) => name)).toEqual([
      "mkdir shipment-<id> #1 behind session.opened #1",
    ]);
  });
});
