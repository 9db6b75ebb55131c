import { describe, expect, it } from "vitest";
import { sealKeyOf, sealShipment, unsealShipment } from "../../src/session/shipment.ts";
import { sessionId } from "../kit/given.ts";

const key = sealKeyOf("sk-secret-key-1", 1296269);
const expected = { key, repositoryId: 1296269, session: sessionId() };

describe("a sealed shipment", () => {
  const header = {
    format: 1,
    keyId: key.id,
    repositoryId: 1296269,
    thread: 7,
    session: sessionId(),
    gen: 1,
    number: 1,
    from: 1,
    to: 1,
    previous: null,
    baseSha: "1".repeat(40),
    configSha: "1".repeat(40),
    workflow: "w",
    run: { id: "1", attempt: 1, job: "agent" },
  };
  const entries = [{ name: "log", bytes: Buffer.from("one\n") }];
  const sealed = sealShipment(header, entries, { key, nonce: Buffer.alloc(12, 1) });

  it("opens with its key, repository and session, and gives back what was put in", () => {
    expect(unsealShipment(sealed, expected)).toMatchObject({
      kind: "unsealed",
      header,
      entries: [{ name: "log" }],
    });
  });

  it("is refused whole when any one byte of it was changed", () => {
    const opening = Array.from(sealed, (_, at) => {
      const bytes = Buffer.from(sealed);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return unsealShipment(bytes, expected).kind;
    });
    expect(new Set(opening)).toEqual(new Set(["refused"]));
  });

  it("is refused whole when it is cut at any byte (F45)", () => {
    const opening = Array.from(sealed, (_, at) => unsealShipment(sealed.subarray(0, at), expected).kind);
    expect(new Set(opening)).toEqual(new Set(["refused"]));
  });

  const otherKey = sealKeyOf("sk-another-key", 1296269);
  it.each([
    ["with another key", { ...expected, key: otherKey }, "other-key"],
    ["for another repository", { ...expected, repositoryId: 5 }, "foreign"],
    ["for another session", { ...expected, session: sessionId("sffffffffffff") }, "foreign"],
  ])("is refused %s", (_title, other, code) => {
    expect(unsealShipment(sealed, other)).toMatchObject({ kind: "refused", code });
  });

  it("cannot be opened by anything derived for another repository from the same secret", () => {
    const other = sealKeyOf("sk-secret-key-1", 5);
    expect([
      other.id === key.id,
      Buffer.from(other.key).equals(key.key),
      Buffer.from(other.mac).equals(key.mac),
    ]).toEqual([false, false, false]);
    expect(unsealShipment(sealed, { ...expected, key: other })).toMatchObject({ code: "other-key" });
  });

  it("is refused when it holds an entry of an unknown name", () => {
    const bad = sealShipment(header, [{ name: "../evil", bytes: Buffer.from("x") }], {
      key,
      nonce: Buffer.alloc(12, 2),
    });
    expect(unsealShipment(bad, expected)).toMatchObject({ kind: "refused", code: "tampered" });
  });

  it("shows nothing of what is in it", () => {
    expect(Buffer.from(sealed).includes("one\n")).toBe(false);
  });
});
