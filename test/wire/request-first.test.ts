import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import type { Model, ModelRequest, Reply } from "../../src/loop/model.ts";
import type { Shelf } from "../../src/session/shelf.ts";
import { requestFirst } from "../../src/wire/request-first.ts";

const signal = new AbortController().signal;

/** A clock whose sleeps end when the test says so, or by their signal. */
function heldClock() {
  const sleeping: { readonly ms: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: (ms, options) =>
      new Promise((wake) => {
        if (options.signal.aborted) wake();
        options.signal.addEventListener("abort", () => wake(), { once: true });
        sleeping.push({ ms, wake });
      }),
  };
  return { clock, sleeping };
}

function given() {
  const order: string[] = [];
  const model: Model = {
    reply: () => {
      order.push("request");
      return new Promise<Reply>(() => {});
    },
  };
  const shelf: Shelf = {
    put: async (name) => {
      order.push(name);
      return { kind: "stored", id: name };
    },
    list: async () => [],
    get: async () => ({ kind: "missing", why: "" }),
  };
  const { clock, sleeping } = heldClock();
  return { order, sleeping, ...requestFirst({ model, shelf }, clock) };
}

describe("the first thing that is stored", () => {
  it("waits until the first request has left", async () => {
    const { order, sleeping, model, shelf } = given();
    const stored = shelf.put("one", new Uint8Array(), { signal });
    void model.reply({} as ModelRequest, { signal, onLive: () => {} });
    while (sleeping.length < 2) await null;
    expect(order).toEqual(["request"]);
    sleeping[1]?.wake();
    await stored;
    await shelf.put("two", new Uint8Array(), { signal });
    expect(order).toEqual(["request", "one", "two"]);
  });

  it("waits no longer than its bound where no request is made", async () => {
    const { order, sleeping, shelf } = given();
    const stored = shelf.put("one", new Uint8Array(), { signal });
    expect(sleeping.map(({ ms }) => ms)).toEqual([1_000]);
    sleeping[0]?.wake();
    await stored;
    expect(order).toEqual(["one"]);
  });

  it("does not wait in a run that is being cancelled", async () => {
    const { order, shelf } = given();
    await shelf.put("one", new Uint8Array(), { signal: AbortSignal.abort() });
    expect(order).toEqual(["one"]);
  });
});
