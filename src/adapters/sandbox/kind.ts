import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** How the namespaces are made. `off` has none: a process like any other. */
export type SandboxKind = "root" | "sudo" | "userns" | "off";

/** Where system programs are looked up: never by the PATH of the job, which earlier steps can change. */
export const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";

const programs = ["unshare", "setpriv", "mount", "umount", "pivot_root", "mkfifo", "chown", "sh"];
const sudoMsMax = 5_000;

/** The ways that may work on this machine, the best first; or why there is none. */
export async function sandboxKinds(): Promise<
  | { readonly kind: "some"; readonly kinds: readonly [SandboxKind, ...SandboxKind[]] }
  | { readonly kind: "none"; readonly why: string }
> {
  if (process.platform !== "linux") {
    return { kind: "none", why: `the sandbox needs Linux; this is ${process.platform}` };
  }
  const missing = programs.filter((name) => systemProgram(name) === null);
  if (missing.length > 0) {
    const what = missing.join(", ");
    return { kind: "none", why: `${what} not found in ${systemPath}; install util-linux and coreutils` };
  }
  if (process.getuid?.() === 0) return { kind: "some", kinds: ["root"] };
  const kinds: SandboxKind[] = [];
  if (await sudoWorks()) kinds.push("sudo");
  if (systemProgram("newuidmap") !== null) kinds.push("userns");
  const [first, ...rest] = kinds;
  if (first !== undefined) return { kind: "some", kinds: [first, ...rest] };
  return {
    kind: "none",
    why: "the job is not root, `sudo -n true` does not work, and newuidmap is missing for user namespaces; allow sudo without a password or install uidmap",
  };
}

export function systemProgram(name: string): string | null {
  return (
    systemPath
      .split(":")
      .map((dir) => join(dir, name))
      .find((file) => existsSync(file)) ?? null
  );
}

function sudoWorks(): Promise<boolean> {
  const sudo = systemProgram("sudo");
  if (sudo === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    execFile(sudo, ["-n", "true"], { timeout: sudoMsMax, env: { PATH: systemPath } }, (error) =>
      resolve(error === null),
    );
  });
}
