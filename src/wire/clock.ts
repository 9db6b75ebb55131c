import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, { signal }) => {
    // An abort ends the wait; whoever sleeps looks at the signal itself.
    await wait(ms, undefined, { signal }).catch(() => undefined);
  },
};
