import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, makeBench, openAt, until } from "./bench.ts";
import { kind, rule } from "./given-sandbox.ts";

// Random, because the sources of this test are seen inside.
const key = randomBytes(16).toString("hex");

describe.skipIf(kind === null)("a sandbox", () => {
  rule(
    "gives commands an environment of named variables only",
    async (sandbox) => {
      const { output } = await command(sandbox, "env | cut -d= -f1 | sort");
      expect(
        output
          .trim()
          .split("\n")
          .filter((name) => !shellOwn.includes(name)),
      ).toEqual(["CI", "DECLARED", "HOME", "LANG", "PATH", "TERM", "TMPDIR"]);
    },
    { declared: { DECLARED: "yes" } },
  );

  rule("shows no process, environment or file of the outside", async (sandbox, bench) => {
    for (const dir of [bench.masked, bench.scratch, bench.dir]) writeFileSync(join(dir, "key"), key);
    const holder = spawn("sh", ["-c", "read -r _"], {
      env: { HELD: key },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const halves = [key.slice(0, 16), key.slice(16)];
    const search = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline ${bench.dir}/key ${bench.dir}/*/key 2>/dev/null || true
      grep -r --exclude-dir=host ${halves.join('""')} /tmp /root /home /run /var /mnt 2>/dev/null || true`;
    const { output } = await command(sandbox, search);
    holder.stdin.destroy();
    expect(output).toContain("CI=true");
    expect(output.includes(key)).toBe(false);
    expect(readFileSync(join(bench.masked, "key"), "utf8")).toBe(key);
  });

  rule("reaches no listener outside, and its own on 127.0.0.1", async (sandbox) => {
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    await until(() => server.listening);
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const outside = await command(sandbox, `exec 3<>/dev/tcp/127.0.0.1/${port}`);
    const inside = await command(
      sandbox,
      `node -e 'const s=require("net").createServer(c=>c.end("inner")).listen(0,"127.0.0.1",()=>require("net").connect(s.address().port).on("data",d=>{console.log(String(d));process.exit()}))'`,
    );
    const devices = await command(sandbox, "cut -d: -sf1 /proc/net/dev; wc -l < /proc/net/route");
    server.close();
    expect(outside.exitCode).toBe(1);
    expect(inside).toMatchObject({ exitCode: 0, output: "inner\n" });
    expect(devices.output).toMatch(/^\s*lo\s+1\s*$/);
  });

  rule("lets nothing be written but the workspace, HOME and tmp", async (sandbox, bench) => {
    const paths = [
      "/x",
      "/etc/x",
      "/usr/x",
      "/usr/bin/x",
      "/root/x",
      "/home/x",
      "/run/x",
      "/run/baton/x",
      "/run/baton/host/x",
      "/dev/x",
      "/var/x",
      "/mnt/x",
      "/proc/sys/kernel/hostname",
      "/workspace/.git/x",
      "/workspace/.git/hooks/x",
    ];
    for (const path of paths) {
      const { exitCode } = await command(sandbox, `echo x > ${path}`);
      expect([path, exitCode]).toEqual([path, 1]);
    }
    const allowed = await command(
      sandbox,
      "echo a > /workspace/a; echo b > ~/b; echo c > /tmp/c; echo d > $TMPDIR/d",
    );
    expect(allowed).toMatchObject({ exitCode: 0, output: "" });
    expect(readFileSync(join(bench.workspace, "a"), "utf8")).toBe("a\n");
    expect(readFileSync(join(bench.home, "b"), "utf8")).toBe("b\n");
  });

  rule("keeps `.git` as it is: not renamed, not removed", async (sandbox, bench) => {
    const run = await command(sandbox, "mv .git git; rm -rf .git; ln -sfn /tmp .git; true");
    expect(run.exitCode).toBe(1);
    await command(sandbox, "rm -rf .git");
    expect(readdirSync(bench.workspace)).toEqual([".git"]);
  });

  rule("leaves commands no capability, no new privileges, no namespaces, no group", async (sandbox) => {
    const { output } = await command(
      sandbox,
      "grep -E '^(Cap|NoNewPrivs|Groups)' /proc/self/status; (unshare -Ur true || unshare -m true) 2>/dev/null && mount -t tmpfs x /tmp 2>/dev/null && echo mounted; true",
    );
    const lines = Object.fromEntries(
      output
        .trim()
        .split("\n")
        .map((line) => line.split(/:\s*/)),
    );
    expect(lines).toEqual({
      Groups: "",
      CapInh: "0000000000000000",
      CapPrm: "0000000000000000",
      CapEff: "0000000000000000",
      CapBnd: "0000000000000000",
      CapAmb: "0000000000000000",
      NoNewPrivs: "1",
    });
  });

  rule("keeps what reports out of reach of what it runs", async (sandbox) => {
    const supervisor = "$(grep -lsz '^supervise$' /proc/[0-9]*/cmdline | grep -o '[0-9]*' | tail -n 1)";
    const { output } = await command(
      sandbox,
      `s=${supervisor}; test "$s" -gt 1
      for p in 1 $s; do for f in environ mem maps fd/0 root/etc/passwd; do head -c 1 /proc/$p/$f >/dev/null 2>&1 && echo "read $p $f"; done
      for i in KILL TERM USR1 STOP 0; do kill -$i $p 2>/dev/null && echo "signalled $i $p"; done; done; echo tried`,
    );
    expect(output).toBe("tried\n");
    expect((await command(sandbox, "echo still")).output).toBe("still\n");
  });

  rule("gives commands three descriptors", async (sandbox) => {
    const { output } = await command(sandbox, "ls /proc/self/fd | tr '\\n' ' '");
    // The last one is the directory that `ls` itself reads.
    expect(output).toBe("0 1 2 3 ");
  });

  rule("lets commands open /dev/stdout and /dev/stderr", async (sandbox) => {
    const run = await command(sandbox, "echo one > /dev/stdout; echo two > /dev/stderr");
    expect(run).toMatchObject({ exitCode: 0, output: "one\ntwo\n" });
  });

  rule("bounds processes and files, and is what ends first where memory runs out (F56)", async (sandbox) => {
    const { output } = await command(
      sandbox,
      "ulimit -u; ulimit -n; ulimit -c; cat /proc/self/oom_score_adj",
    );
    expect(output).toBe("4096\n4096\n0\n500\n");
  });

  it("has the network of the host only when asked for it", async () => {
    using bench = makeBench(kind ?? "root");
    await using sandbox = await openAt(bench, { network: "host" });
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    await until(() => server.listening);
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const run = await command(sandbox, `cat < /dev/tcp/127.0.0.1/${port}`);
    server.close();
    expect(run).toMatchObject({ exitCode: 0, output: "hello" });
  });
});

/** What a shell sets by itself. */
const shellOwn = ["PWD", "OLDPWD", "SHLVL", "_"];
