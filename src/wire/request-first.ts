import type { Clock } from "../base/clock.ts";
import type { Model } from "../loop/model.ts";
import type { Shelf } from "../session/shelf.ts";

/** What a request takes to leave the process once it was made: a name looked up, a connection, a handshake. */
const leaveMs = 100;
const waitMsMax = 1_000;

/**
 * Loading the client of artifacts keeps this process busy for a quarter of a second, and the first shipment is due
 * just before the first request to the model. So the first thing that is stored waits until that request has left.
 * Not for long: setup may take minutes, and a run may end without a request.
 */
export function requestFirst(
  { model, shelf }: { readonly model: Model; readonly shelf: Shelf },
  clock: Clock,
): { readonly model: Model; readonly shelf: Shelf } {
  const asked = new AbortController();
  let turn: Promise<void> | null = null;
  const wait = async (signal: AbortSignal): Promise<void> => {
    await clock.sleep(waitMsMax, { signal: AbortSignal.any([signal, asked.signal]) });
    if (asked.signal.aborted) await clock.sleep(leaveMs, { signal });
  };
  return {
    model: {
      reply: (request, options) => {
        const reply = model.reply(request, options);
        asked.abort();
        return reply;
      },
    },
    shelf: {
      ...shelf,
      put: async (name, bytes, options) => {
        turn ??= wait(options.signal);
        await turn;
        return shelf.put(name, bytes, options);
      },
    },
  };
}
