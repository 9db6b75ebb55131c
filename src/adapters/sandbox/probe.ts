import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ListenOptions, type Server } from "node:net";
import { join } from "node:path";
import { systemPath, systemProgram } from "./kind.ts";
import type { Sandbox } from "./open.ts";
import type { ProbeTargets, Reached } from "./protocol.ts";
import { reachOut } from "./reach.ts";

export type Soundness =
  /** `notes` are shortcomings that make the sandbox less useful, not less safe. */
  | { readonly kind: "sound"; readonly notes: readonly string[] }
  /** Names the promise that does not hold, and what to do where that is known. */
  | { readonly kind: "unsound"; readonly why: string };

export type ProbeOptions = {
  /** Random, at least 128 bits: the planted key. */
  readonly key: string;
  /** Directories outside the sandbox, masked ones among them, in which files are planted for the while. */
  readonly plantIn: readonly string[];
  readonly signal: AbortSignal;
};

const systemDirs = ["/", "/etc", "/usr"];

/**
 * Plants a key in the environment of a process and in files outside, listens outside, and tries to get at all of it
 * from inside the very sandbox that is going to be used, and from here. Sound is only what fails inside and
 * succeeds here.
 */
export async function probeSandbox(sandbox: Sandbox, options: ProbeOptions): Promise<Soundness> {
  await using planted = await plant(options);
  const { targets } = planted;
  const request = {
    type: "probe",
    targets: { ...targets, writable: [...targets.writable, ...systemDirs] },
  } as const;
  const [{ reached }, control] = await Promise.all([
    sandbox.ask(request, { signal: options.signal }),
    reachOut(targets),
  ]);
  const blind = blindSpots(targets, control);
  if (blind.length > 0) {
    return {
      kind: "unsound",
      why: `the probe could not prove itself outside the sandbox: ${blind.join("; ")}`,
    };
  }
  const broken = brokenPromises(reached);
  if (broken.length > 0) return { kind: "unsound", why: `in the sandbox, ${broken.join("; ")}` };
  const notes = reached.loopback
    ? []
    : ["127.0.0.1 does not work in the sandbox; install iproute2 for servers that tests start"];
  return { kind: "sound", notes };
}

function brokenPromises(reached: Reached): readonly string[] {
  const broken: string[] = [];
  if (reached.process) broken.push("a process outside can be seen");
  if (reached.files.length > 0) broken.push(`a file outside can be read: ${reached.files.join(", ")}`);
  if (reached.written.length > 0) broken.push(`a file can be made in ${reached.written.join(", ")}`);
  if (reached.port) broken.push("a listener on the machine's 127.0.0.1 can be reached");
  if (reached.abstractSocket) broken.push("an abstract socket of the machine can be reached");
  if (reached.devices.length > 0) broken.push(`there are network devices: ${reached.devices.join(", ")}`);
  if (reached.supervisor) broken.push("the process that reports can be read or signalled");
  if (reached.privileges) broken.push("commands keep capabilities, groups or the way to new privileges");
  return broken;
}

function blindSpots(targets: ProbeTargets, control: Reached): readonly string[] {
  const blind: string[] = [];
  if (!control.process) blind.push("it cannot see a process of its own");
  if (control.files.length !== targets.files.length) blind.push("it cannot read a planted file");
  if (control.written.length !== targets.writable.length) blind.push("it cannot write where it planted");
  if (!control.port) blind.push("it cannot reach its own listener on 127.0.0.1");
  if (!control.abstractSocket) blind.push("it cannot reach its own abstract socket");
  return blind;
}

type Planted = AsyncDisposable & { readonly targets: ProbeTargets };

async function plant({ key, plantIn }: ProbeOptions): Promise<Planted> {
  await using stack = new AsyncDisposableStack();
  const dirs = plantIn.map((dir) => stack.adopt(mkdtempSync(join(dir, "probe-")), remove));
  const files = dirs.map((dir) => join(dir, "key"));
  for (const file of files) writeFileSync(file, key);
  // Open to every uid: not being the owner must not be what keeps the inside out.
  for (const dir of dirs) chmodSync(dir, 0o777);
  const abstractSocket = `probe-${key}`;
  const tcp = stack.adopt(
    createServer((socket) => socket.destroy()),
    close,
  );
  const local = stack.adopt(
    createServer((socket) => socket.destroy()),
    close,
  );
  // It only has to exist, with the key in its environment and in its command line; it ends when its input does.
  const holder = spawn(systemProgram("sh") ?? "/bin/sh", ["-c", "read -r _ || :", key], {
    env: { PATH: systemPath, PROBE_KEY: key },
    stdio: ["pipe", "ignore", "ignore"],
  });
  stack.defer(() => void holder.stdin.destroy());
  await Promise.all([
    listen(tcp, { host: "127.0.0.1", port: 0 }),
    listen(local, { path: `\0${abstractSocket}` }),
    new Promise<void>((resolve, reject) => holder.once("spawn", resolve).once("error", reject)),
  ]);
  const address = tcp.address();
  const port = address !== null && typeof address === "object" ? address.port : null;
  const kept = stack.move();
  return {
    targets: { key, files, writable: dirs, port, abstractSocket },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

function close(server: Server): void {
  server.close();
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
}
