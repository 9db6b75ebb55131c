import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import type { Sandbox } from "../../../src/adapters/sandbox/open.ts";
import { type Bench, bestKind, makeBench, openAt } from "./bench.ts";

/** Null where this machine has no sandbox. */
export const kind = await bestKind();

/** A rule that is tested in a sandbox of its own, whose workspace has a `.git`. */
export function rule(
  title: string,
  test: (sandbox: Sandbox, bench: Bench) => Promise<void>,
  more: Partial<Bench["ground"]> = {},
): void {
  it(title, async () => {
    using bench = makeBench(kind ?? "root", more);
    mkdirSync(join(bench.workspace, ".git"));
    await using sandbox = await openAt(bench);
    await test(sandbox, bench);
  });
}
