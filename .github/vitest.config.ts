import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: resolve(dirname(fileURLToPath(import.meta.url)), ".."),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/kit/say-what-is-proved.ts", "test/kit/folder.ts"],
    // Tests start servers, git and the built action: processes of their own, and no more at once than cores.
    pool: "forks",
    maxWorkers: 2,
    // Far above what any test takes: a bound on hanging, not a statement about speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
});
