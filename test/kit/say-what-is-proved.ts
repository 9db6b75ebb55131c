import { canSandbox } from "./world.ts";

/** Runs once before all tests: a green run must not be read as more than it was. */
export function setup(): void {
  if (canSandbox) return;
  console.log(
    "Without root no sandbox is made here. The built action runs with it switched off, and these promises are not exercised: no key can be read, no network can be reached, nothing is written outside the workspace, nothing outlives its call or a killed run.",
  );
}
