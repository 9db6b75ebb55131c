import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { layApart } from "../../../src/adapters/sandbox/apart.ts";
import { newFolder } from "../../kit/folder.ts";

it("lets the file system lay apart what is made in a folder, where it can", async () => {
  const dir = newFolder("apart");
  const type = execFileSync("stat", ["-f", "-c", "%T", dir], { encoding: "utf8" }).trim();
  await layApart(dir);
  const flags = type === "ext2/ext3" ? execFileSync("lsattr", ["-d", dir], { encoding: "utf8" }) : "T";
  expect(flags.split(" ")[0]).toContain("T");
});

it("goes on where it cannot", async () => {
  const dir = newFolder("apart");
  await layApart(join(dir, "missing"));
  expect(existsSync(join(dir, "missing"))).toBe(false);
});
