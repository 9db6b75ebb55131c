import { describe, expect, it } from "vitest";
import { instructionsOf } from "../../src/app/read-config.ts";
import { noConfig } from "../../src/gate/config.ts";

const bytesMax = 32 * 1024;

function instructions(files: Readonly<Record<string, string>>, named: readonly string[] | null = null) {
  const file = async (path: string) => (Object.hasOwn(files, path) ? Buffer.from(files[path] ?? "") : null);
  return instructionsOf({ file }, { ...noConfig, instructions: named });
}

describe("the instructions of a repository", () => {
  it.each([
    ["are none where there is no file", {}, null, null],
    [
      "are the first file that is usual",
      { "CLAUDE.md": "b", "AGENTS.md": "a" },
      null,
      { path: "AGENTS.md", text: "a" },
    ],
    [
      "are the files that the configuration names",
      { a: "A", "AGENTS.md": "x", b: "B" },
      ["b", "c", "a"],
      { path: "b, a", text: "B\n\nA" },
    ],
    ["are none where it names none", { "AGENTS.md": "x" }, [], null],
    [
      "are whole at the limit",
      { "AGENTS.md": "x".repeat(bytesMax) },
      null,
      { path: "AGENTS.md", text: "x".repeat(bytesMax) },
    ],
    [
      "say where they are cut, between two characters",
      { "AGENTS.md": `${"x".repeat(bytesMax - 1)}\u20ac!` },
      null,
      { path: "AGENTS.md", text: `${"x".repeat(bytesMax - 1)}\n[cut here: 4 more bytes are not shown]` },
    ],
  ])("%s", async (_, files, named, told) => {
    expect(await instructions(files, named)).toEqual(told);
  });
});
