import { expect, it } from "vitest";
import type { Tree } from "../../src/base/hash.ts";
import type { Check, Checks } from "../../src/gate/checks.ts";

export type ChecksWorld = AsyncDisposable & {
  readonly checks: Checks;
  /** Two trees: `file.txt` in the root holds "one" or "two"; `sub/` exists in both. */
  readonly one: Tree;
  readonly two: Tree;
};

/** What every adapter of the port `Checks` that really runs something has to do. */
export function checksContract(make: () => Promise<ChecksWorld>): void {
  const rule = (title: string, test: (world: ChecksWorld) => Promise<void>) =>
    it(title, async () => {
      await using world = await make();
      await test(world);
    });
  const { signal } = new AbortController();
  const check = (run: string, more: Partial<Check> = {}): Check => ({
    name: "check",
    run,
    minutes: 1,
    proof: false,
    dir: "",
    network: false,
    ...more,
  });

  rule("runs a check on exactly the tree that it is given", async ({ checks, one, two }) => {
    for (const [tree, text] of [
      [one, "one"],
      [two, "two"],
    ] as const) {
      await using checkout = await checks.checkout(tree, { signal });
      const run = await checkout.run(check("cat file.txt"), { signal });
      expect(run).toMatchObject({ exitCode: 0, timedOut: false, cancelled: false, output: text });
    }
  });

  rule("tells the exit code and stops at the first command that fails", async ({ checks, one }) => {
    await using checkout = await checks.checkout(one, { signal });
    const run = await checkout.run(check("echo before\nsh -c 'exit 7'\necho after"), { signal });
    expect(run).toMatchObject({ exitCode: 7, output: "before\n" });
  });

  rule("runs in the directory that the check names", async ({ checks, one }) => {
    await using checkout = await checks.checkout(one, { signal });
    const run = await checkout.run(check("cat ../file.txt", { dir: "sub" }), { signal });
    expect(run).toMatchObject({ exitCode: 0, output: "one" });
  });

  rule("keeps what a check leaves away from the next checkout", async ({ checks, one }) => {
    const leave = 'echo left > file.txt; echo left > ~/left; echo left > "$TMPDIR/left"';
    {
      await using checkout = await checks.checkout(one, { signal });
      expect((await checkout.run(check(leave), { signal })).exitCode).toBe(0);
    }
    await using checkout = await checks.checkout(one, { signal });
    const look = 'cat file.txt; ls ~ "$TMPDIR"';
    const run = await checkout.run(check(look), { signal });
    expect(run.exitCode).toBe(0);
    expect(run.output).not.toContain("left");
  });

  rule("ends a check at its time limit", async ({ checks, one }) => {
    await using checkout = await checks.checkout(one, { signal });
    const run = await checkout.run(check("echo begun; sleep 600", { minutes: 0.01 }), { signal });
    expect(run).toMatchObject({ exitCode: null, timedOut: true, cancelled: false, output: "begun\n" });
    expect((await checkout.run(check("exit 0"), { signal })).exitCode).toBe(0);
  });

  rule("ends a check at an abort", async ({ checks, one }) => {
    await using checkout = await checks.checkout(one, { signal });
    const controller = new AbortController();
    const run = checkout.run(check("sleep 600"), { signal: controller.signal });
    controller.abort();
    expect(await run).toMatchObject({ exitCode: null, timedOut: false, cancelled: true });
    expect((await checkout.run(check("exit 0"), { signal })).exitCode).toBe(0);
  });

  rule("bounds the output and keeps its beginning and its end", async ({ checks, one }) => {
    await using checkout = await checks.checkout(one, { signal });
    const flood = "echo first; yes 0123456789 | head -c 20000000; echo last";
    const run = await checkout.run(check(flood), { signal });
    expect(Buffer.byteLength(run.output)).toBeLessThanOrEqual(256 * 1024);
    expect(run.output.startsWith("first\n")).toBe(true);
    expect(run.output.endsWith("last\n")).toBe(true);
  });
}
