import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import { createJournal } from "../../src/session/open-journal.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { handClock, identity, opened } from "../kit/given.ts";

const rest = drawn("", 40);
/** JSON writes the end of a line as `\n`: with the rest of this secret behind it stands what looks like all of it. */
const secret = `n${rest}`;

async function given(held = secret) {
  const files = memorySessionFiles();
  const options = { files, clock: handClock(), mask: maskOf([held]), durability: "process" } as const;
  const journal = createJournal(identity(), options);
  await journal.append(opened());
  return { files, journal };
}

describe("what is stored without secrets", () => {
  it.each([
    ["a few characters short of a part", `key:\n${rest.slice(0, 15)}`, `key:\n${rest.slice(0, 15)}`],
    ["a part", `key:\n${rest}`, "key:\n***"],
    ["all of it", `key: ${secret}\n`, "key: ***\n"],
  ])("stays JSON where a line begins with %s", async (_title, text, kept) => {
    const { files, journal } = await given();
    const stored = await journal.store(JSON.stringify([{ type: "text", text }]), { json: true });
    expect(JSON.parse(await journal.load(stored))).toEqual([{ type: "text", text: kept }]);
    await journal.append({ type: "note.added", about: "gate", text: stored });
    await journal.append({ type: "run.suspended", reason: "stuck", detail: text });
    const records = await journal.recordsFrom(0);
    expect(records.map(({ record }) => record.event).slice(1)).toMatchObject([
      { text: { text: JSON.stringify([{ type: "text", text: kept }]) } },
      { detail: kept },
    ]);
    expect(verifyLog(files.state, { witnessed: [] }).kind).toBe("verified");
  });

  it("leaves other text as it is but for the secret", async () => {
    const { journal } = await given();
    const stored = await journal.store(`{\n  "key": "${secret}",\n  "b":  1\n}`);
    expect(await journal.load(stored)).toBe('{\n  "key": "***",\n  "b":  1\n}');
  });

  it.each([
    `"${rest}`,
    `${rest}"`,
    `\\${rest}`,
    `${rest}\\`,
    `${rest}\\"`,
    `${rest.slice(0, 12)}"${rest.slice(12)}`,
    `${rest.slice(0, 12)}\n${rest.slice(12)}`,
    `${rest}","`,
  ])("keeps the fields and the digest of what is stored as JSON, with the secret %j", async (held) => {
    const parts = [held, held.slice(1), held.slice(0, -1), rest, `\n${rest}\n`, `"${rest}"`, `\\${rest}\\`];
    for (const said of parts) {
      const { journal } = await given(held);
      const value = { said, files: [{ patch: said, nested: JSON.stringify({ said }) }] };
      const stored = await journal.store(JSON.stringify(value), { json: true });
      const kept = JSON.parse(await journal.load(stored));
      expect(kept).toEqual({
        said: expect.stringContaining("***"),
        files: [{ patch: kept.said, nested: expect.stringContaining("***") }],
      });
      expect(kept.said).not.toContain(rest);
      await journal.append({ type: "note.added", about: "gate", text: stored });
      const records = await journal.recordsFrom(0);
      expect(records.at(-1)?.record.event).toMatchObject({ text: stored });
    }
  });

  it("is hidden in JSON that a file holds, whatever has to be escaped in it", async () => {
    const held = 'pass"w\\rd';
    const { journal } = await given(held);
    const content = JSON.stringify({ key: held });
    const stored = await journal.store(JSON.stringify([{ type: "tool_use", input: { content } }]), {
      json: true,
    });
    const [block] = JSON.parse(await journal.load(stored));
    expect(JSON.parse(block.input.content)).toEqual({ key: "***" });
  });

  it("is no part of a secret that is JSON itself, wherever that stands", async () => {
    const held = JSON.stringify({ user: "deployer", password: "hunter22secret" });
    const { journal } = await given(held);
    const texts = [held, `[${held}]`, `${held}\n`];
    const kept = await Promise.all(texts.map(async (text) => journal.load(await journal.store(text))));
    expect(kept).toEqual(["***", "[***]", "***\n"]);
    const written = await journal.store(JSON.stringify({ content: held }), { json: true });
    expect(await journal.load(written)).toBe('{"content":"***"}');
    await journal.append({ type: "run.suspended", reason: "stuck", detail: held });
    const records = await journal.recordsFrom(0);
    expect(records.at(-1)?.record.event).toMatchObject({ detail: "***" });
  });
});
