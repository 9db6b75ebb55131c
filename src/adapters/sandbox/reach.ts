import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type NetConnectOpts } from "node:net";
import { join } from "node:path";
import type { ProbeTargets, Reached } from "./protocol.ts";

const connectMsMax = 2_000;

/**
 * Tries to get at everything that must be out of reach. The same function runs inside the sandbox, where all must
 * fail, and outside as the control, where all of `targets` must succeed: a probe that can find nothing proves nothing.
 */
export async function reachOut(targets: ProbeTargets): Promise<Reached> {
  const [port, abstractSocket, loopback] = await Promise.all([
    targets.port !== null && reaches({ host: "127.0.0.1", port: targets.port }),
    targets.abstractSocket !== null && reaches({ path: `\0${targets.abstractSocket}` }),
    reachesItself(),
  ]);
  return {
    process: pids().some((pid) => canRead(pid, targets.key)),
    files: targets.files.filter((file) => textOf(file).includes(targets.key)),
    written: targets.writable.filter((dir) => canWrite(join(dir, `.probe-${targets.key}-${process.pid}`))),
    port,
    abstractSocket,
    supervisor: canTouch(process.ppid) || canTouch(1),
    privileges: hasPrivileges(textOf("/proc/self/status")),
    devices: [...textOf("/proc/net/dev").matchAll(/^\s*([^:\s|]+):/gm)]
      .map((match) => match[1] ?? "")
      .filter((name) => name !== "lo"),
    loopback,
  };
}

/** The command line of a process is open to all who see it, its environment only to its own uid. */
function canRead(pid: string, key: string): boolean {
  return ["cmdline", "environ"].some((name) => textOf(`/proc/${pid}/${name}`).includes(key));
}

function pids(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function canWrite(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx" });
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function canTouch(pid: number): boolean {
  if (textOf(`/proc/${pid}/environ`) !== "" || textOf(`/proc/${pid}/maps`) !== "") return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function hasPrivileges(status: string): boolean {
  const sets = [...status.matchAll(/^Cap(?:Inh|Prm|Eff|Bnd|Amb):\s*(\S+)$/gm)].map((match) => match[1] ?? "");
  const none = sets.length === 5 && sets.every((set) => /^0+$/.test(set));
  return !none || !/^NoNewPrivs:\s*1$/m.test(status) || !/^Groups:\s*$/m.test(status);
}

function reaches(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: connectMsMax });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

function reachesItself(): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(false));
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      void reaches({ host: "127.0.0.1", port }).then((reached) => {
        server.close();
        resolve(reached);
      });
    });
  });
}
