import type { Shelf } from "../../session/shelf.ts";

type Stored = {
  readonly id: string;
  readonly name: string;
  readonly run: string;
  readonly bytes: Uint8Array;
};

/** What several shelves share, one for each run that stores. */
export type MemoryShelves = { readonly stored: Stored[] };

export function memoryShelf(options: { readonly run: string; readonly shelves: MemoryShelves }): Shelf {
  const { run, shelves } = options;
  return {
    put: async (name, bytes, { signal }) => {
      if (signal.aborted) return { kind: "failed", why: "cancelled" };
      if (shelves.stored.some((item) => item.name === name && item.run === run)) return { kind: "taken" };
      const id = String(shelves.stored.length + 1);
      shelves.stored.push({ id, name, run, bytes: Uint8Array.from(bytes) });
      return { kind: "stored", id };
    },
    list: async (session, { runs }) =>
      shelves.stored
        .filter((item) => runs.includes(item.run) && item.name.startsWith(`agent-session-${session}-`))
        .map(({ id, name, bytes, run }) => ({
          id,
          name,
          bytes: bytes.length,
          expired: false,
          run,
          foreign: null,
        })),
    get: async ({ id }) => {
      const item = shelves.stored.find((candidate) => candidate.id === id);
      return item
        ? { kind: "bytes", bytes: Uint8Array.from(item.bytes) }
        : { kind: "missing", why: "no such item" };
    },
  };
}
