import { execFileSync } from "node:child_process";

type Resource = "fsize" | "nofile";

const self = ["--pid", String(process.pid)];

/** The soft limit of this process, as text that `setOwnLimit` takes. Throws where `prlimit` is not there. */
export function ownLimit(resource: Resource): string {
  const asked = [...self, `--${resource}`, "--noheadings", "--raw", "--output", "SOFT"];
  return execFileSync("prlimit", asked, { encoding: "utf8" }).trim();
}

export function setOwnLimit(resource: Resource, value: string): void {
  execFileSync("prlimit", [...self, `--${resource}=${value}:`], { stdio: "ignore" });
}
