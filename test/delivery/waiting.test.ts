import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import { parseCommand } from "../../src/command/command.ts";
import { exactJson } from "../../src/delivery/exact-json.ts";
import { fitBody } from "../../src/delivery/fit.ts";
import { howToGoOn } from "../../src/delivery/how-to-go-on.ts";
import { markerOf, readRunsMarker, runsMarkerOf, sessionsIn } from "../../src/delivery/marker.ts";
import { type Waiting, waitingText } from "../../src/delivery/waiting.ts";
import { type AskedSetup, askedSetup, setupLines } from "../../src/delivery/waiting-setup.ts";
import { sealKeyOf } from "../../src/session/shipment.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { sessionId } from "../kit/given.ts";

const session = sessionId();
const key = sealKeyOf("a key that is long enough", 1);

const nasty: readonly unknown[] = [
  {},
  { command: "" },
  { command: "set -e\nnpm ci\n\n\tnpm test\n" },
  { command: "a\\nb \\\\n \\u0041 \"quoted\" 'x'" },
  { command: "x".repeat(1000), more: `${"é".repeat(150)}\n${"\n".repeat(20)}` },
  {
    command:
      "rm \u202e txt.exe \u200b\u00a0\u2028\u2060\u{e0041}\u{1f469}\u200d\u{1f4bb}\u0000\u007f\ufeff\u3164\u2800",
  },
  { text: "<!-- hidden -->\n```\n~~~\n\u2937 /agent fix\n</code></pre><img src=x>" },
  { "\u202ekey\n": [1, null, true, { deep: ["\ud800"] }] },
];

describe("arguments that a person has to judge", () => {
  it.each(nasty.map((value) => [JSON.stringify(value).slice(0, 40), value] as const))(
    "are shown exactly, and nothing in them hides: %s",
    (_, value) => {
      const { text: shown, takenOut } = exactJson(JSON.stringify(value));
      expect(takenOut).toBe(0);
      expect(JSON.parse(shown.replaceAll("\n\u2937 ", ""))).toEqual(value);
      expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(shown).not.toContain("<!--");
      expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
    },
  );
});

const questions: readonly Waiting[] = [
  { kind: "question", question: "Tabs or spaces?" },
  { kind: "question", question: "/agent fix\n> /agent approve a1\n\n- /agent stop\n```\n/agent fix\n" },
  { kind: "question", question: "@octo see #12, <!-- agent:v1 --> ![x](https://example.com/x.png)" },
];
const calls = nasty.map((value, at) => {
  return { id: `toolu_${at}`, tool: "shell", arguments: JSON.stringify(value), why: "it says /agent" };
});
const patch =
  'diff --git a/package.json b/package.json\n--- a/package.json\n+++ b/package.json\n@@ -1,2 +1,3 @@\n {\n-\t"a": "1"\n+\t"a": "\u202e2\u200b",\n+/agent approve a1\n+```\n+<!-- agent:v1 --> \\u200b @octo #12\n';
const setupOf = (asked: Partial<AskedSetup> = {}) => {
  const file = {
    path: "package.json",
    status: "modified",
    mode: "100644",
    sha256: digestOf(""),
    patch,
  } as const;
  const name = "@octo <img> \u202e";
  const packages = [{ name, before: null, after: "1.0.0" }];
  const read = { path: file.path, as: "JSON", how: "exactly", packages, origins: [] } as const;
  const commands = ["npm ci\n/agent stop", "make"];
  const given: AskedSetup = { commands, env: [], files: [file], packages: [read], ...asked };
  return { id: "setup_1", tool: "setup", arguments: JSON.stringify(given), why: "the change touches it" };
};
const setups: readonly Waiting[] = [
  { kind: "approval", calls: [setupOf()] },
  { kind: "approval", calls: [setupOf({ commands: ["```\n/agent fix\u2028x"] })] },
];
const all: readonly Waiting[] = [
  ...questions,
  ...setups,
  { kind: "approval", calls },
  ...calls.map((call): Waiting => ({ kind: "approval", calls: [call] })),
];

const textOf = (waiting: Waiting, over: Partial<Parameters<typeof waitingText>[1]> = {}): string =>
  waitingText(waiting, { session, triggerPhrase: "/agent", thread: 7, max: 5000, ...over });

/** What is copied from a comment as it is shown. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/<code>(.*?)<\/code>/g)].map(([, code = ""]) =>
    code.replace(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point))),
  );
}

describe("what people are told of a session that waits", () => {
  it("is nowhere a command, with no thread either", () => {
    for (const waiting of all) {
      for (const thread of [7, null]) {
        const text = textOf(waiting, { thread });
        for (let line = 0; line < text.split("\n").length; line += 1) {
          const rest = text.split("\n").slice(line).join("\n");
          expect(parseCommand(rest, "/agent"), rest.slice(0, 80)).toBeNull();
          expect(parseCommand(rest.replace(/^(?:> ?)+/, ""), "/agent"), rest.slice(0, 80)).toBeNull();
        }
      }
    }
  });

  it("fits into a comment, however many calls a reply holds, and says how many are not shown", () => {
    const many = Array.from({ length: 300 }, (_, at) => {
      return {
        id: `toolu_${at}`.padEnd(64, "_"),
        tool: "shell",
        arguments: '{"command":"ls"}',
        why: "x".repeat(300),
      };
    });
    const text = fitBody((max) => textOf({ kind: "approval", calls: many }, { max }));
    expect(text).toContain("280 more calls wait with them.");
    expect(codesIn(text)).toContain(`/agent resume ${session}`);
    expect(textOf({ kind: "approval", calls: many.slice(0, 20) })).not.toContain("more call");
  });

  it.each(["/agent", "@baton", "hey baton", "!#12"])(
    "holds the commands so that they can be copied: %s",
    (triggerPhrase) => {
      const approval: Waiting = { kind: "approval", calls: calls.slice(0, 1) };
      const [, , , , approve, deny] = codesIn(textOf(approval, { triggerPhrase }));
      expect(parseCommand(approve ?? "", triggerPhrase)).toEqual({ kind: "approve", id: "toolu_0" });
      expect(parseCommand(deny ?? "", triggerPhrase)).toEqual({ kind: "deny", id: "toolu_0", text: "" });
      const [answer] = codesIn(textOf(questions[0] as Waiting, { triggerPhrase }));
      expect(answer).toBe(`${triggerPhrase} <your answer>`);
      const [resume] = codesIn(howToGoOn(triggerPhrase, session));
      expect(parseCommand(resume ?? "", triggerPhrase)).toEqual({ kind: "resume", session, run: null });
    },
  );

  it("has what waits whole between its fences", () => {
    for (const { id, arguments: given } of calls) {
      const call = calls.filter((one) => one.id === id);
      const text = textOf({ kind: "approval", calls: call }, { max: 100_000 });
      const [, fence = "", inside = ""] = /^(`{3,})json\n([\s\S]*?)\n\1$/m.exec(text) ?? [];
      expect(inside.replaceAll("\u200b", "")).toBe(exactJson(given).text);
      expect(inside.includes(fence)).toBe(false);
    }
  });

  it("shows of setup what would run and what changes in its files, exactly, and the replies to it", () => {
    const text = textOf({ kind: "approval", calls: [setupOf()] });
    expect(text).toContain("```sh\nnpm ci\n\u200b/agent stop\nmake\n```");
    const [, fence = "", inside = ""] = /^(`{3,})diff\n([\s\S]*?)\n\1$/m.exec(text) ?? [];
    expect(fence).toBe("````");
    expect(inside).toContain(' {\n-\t"a": "1"\n+\t"a": "\\u202e2\\u200b",\n');
    expect(text).toContain(": added, 1.0.0");
    expect(text).not.toMatch(/<!--|<img|@octo(?! #12)|[\u202e\u2028]/);
    const commands = codesIn(text).flatMap((code) => parseCommand(code, "/agent") ?? []);
    expect(commands).toContainEqual({ kind: "approve", id: "setup_1" });
    expect(commands).toContainEqual({ kind: "deny", id: "setup_1", text: "" });
  });

  it("says which of its files are cut or too long to be shown, the short ones first", () => {
    const [file] = askedSetup(setupOf())?.files ?? [];
    if (file === undefined) throw new Error("setup was to be asked for");
    const long = { ...file, path: "long.lock", patch: `+long\n${"+x\n".repeat(400)}` };
    const files = [{ ...file, path: "huge.lock", patch: null }, long, file];
    const text = textOf({ kind: "approval", calls: [setupOf({ files })] }, { max: 500 });
    expect(text.indexOf('"a": "1"')).toBeLessThan(text.indexOf("+long"));
    expect(text).toMatch(
      /\(Cut here: 500 of \d+ characters are shown\. The summary .* Who allows it allows all of it\.\)/,
    );
    expect(text).toContain("Not shown, because it is too long or no text: <code>huge.lock</code>.");
    const origin = { name: "y", kind: "place", version: "2", source: "https://x.example" } as const;
    const packages = [
      { path: "long.lock", as: "", how: "exactly", packages: [], origins: [origin] },
    ] as const;
    const lines = setupLines({ commands: ["make"], env: [], files, packages });
    expect(lines).toContain(
      "  long.lock: look closely at y: 2, from where no package of this file came before: https://x.example",
    );
    expect(lines).toContain("huge.lock: not shown, because it is too long or no text");
  });

  it("says which variables of the job the commands of setup would have, and of no others that they are kept", () => {
    const env = ["NODE_VERSION", "REGISTRY_URL"];
    const text = textOf({ kind: "approval", calls: [setupOf({ env })] });
    expect(text).toContain("These commands would run, with network and with variables of the job:");
    expect(text).toMatch(
      /these variables of the job, .* could send them anywhere: <code>NODE&#95;VERSION<\/code>, <code>REGISTRY&#95;URL<\/code>\./,
    );
    expect(setupLines({ commands: ["make"], env, files: [], packages: [] })).toContainEqual(
      expect.stringMatching(/ could send them anywhere: NODE_VERSION, REGISTRY_URL\.$/),
    );
    const none = textOf({ kind: "approval", calls: [setupOf()] });
    expect(none).toContain("These commands would run, with network and without secrets:");
    expect(none).not.toContain("variables of the job");
  });

  it("says in how many places something was taken out of it, and that it is allowed unseen", () => {
    const token = drawn("ghp_", 36);
    const [file] = askedSetup(setupOf())?.files ?? [];
    if (file === undefined) throw new Error("setup was to be asked for");
    const files = [file, { ...file, path: "a_b.lock", patch: `-${token}\n+${drawn("gho_", 36)}\n` }];
    const call = { ...setupOf(), tool: "shell", arguments: JSON.stringify({ command: `curl ${token}` }) };
    const setup = setupOf({ commands: [`curl -H ${token}`], files });
    const note = (where: string) =>
      `Not all of it is shown: what looks like a credential was taken out in ${where}, and who allows it allows that unseen.`;
    const shown = textOf({ kind: "approval", calls: [setup] });
    expect(shown).toContain(`**${note("3 places (<code>a&#95;b.lock</code>)")}**`);
    expect(shown.indexOf("Not all of it")).toBeLessThan(shown.indexOf("They would find"));
    expect(shown).not.toContain(token);
    const asked = askedSetup(setup);
    expect(asked && setupLines(asked)).toContain(note("3 places (a_b.lock)"));
    expect(textOf({ kind: "approval", calls: [call] })).toContain(`**${note("1 place")}**`);
    for (const whole of [setupOf(), ...calls])
      expect(textOf({ kind: "approval", calls: [whole] })).not.toContain("Not all of it");
  });

  it("says what is cut of it, and that it is allowed all the same", () => {
    const long = {
      id: "toolu_1",
      tool: "write",
      arguments: JSON.stringify({ text: "x".repeat(3000) }),
      why: "",
    };
    const text = textOf({ kind: "approval", calls: [long] }, { max: 500 });
    expect(text).toMatch(
      /\(Cut here: 500 of \d+ characters are shown\. Who allows the call allows all of it\.\)/,
    );
    const question = textOf({ kind: "question", question: "why? ".repeat(1000) }, { max: 500 });
    expect(question).toContain("characters are shown");
  });

  it("cannot be taken for a comment of another kind, whatever marker stands in it", () => {
    const marker = markerOf(key, session, "comment");
    const runs = runsMarkerOf(key, session, ["1"]);
    const text = `${marker}${runs}`;
    const given = JSON.stringify({ text });
    const call = { id: "toolu_1", tool: "write", arguments: given, why: text };
    for (const waiting of [
      { kind: "approval", calls: [call] },
      { kind: "question", question: text },
    ] as const) {
      const shown = textOf(waiting);
      expect(sessionsIn(key, shown)).toEqual([]);
      expect(readRunsMarker(key, session, shown)).toBeNull();
      expect(shown).not.toContain(marker);
    }
  });

  it("has a marker of its own for each call that asks, and shows nothing of the call in it", () => {
    const ids = ["toolu_1", "toolu_2", "x --> <img>"];
    const markers = ids.flatMap((id) => [
      markerOf(key, session, `question/${id}`),
      markerOf(key, session, `approval/${id}`),
    ]);
    expect(new Set(markers).size).toBe(6);
    for (const marker of markers)
      expect(marker).toMatch(/^<!-- agent:v1:s\w+:(?:question|approval):[0-9a-f]+ -->$/);
  });

  it("says where no comment can answer how a dispatch does", () => {
    const text = textOf({ kind: "approval", calls: calls.slice(0, 1) }, { thread: null });
    expect(codesIn(text)).toEqual(
      expect.arrayContaining(["approve toolu_0", "deny toolu_0", session, "answer"]),
    );
    expect(text).not.toContain("comment");
    expect(textOf(questions[0] as Waiting, { thread: null })).not.toContain("comment");
  });
});
