import { type CacheFigures, type CachePlan, figuresOf, type Priced, playCached } from "./cache-session.ts";

// What of a session's prompts comes from the provider's cache, as the scripted server simulates it: `npm run
// bench:cache [turns]`. The session has one batch of thirty reads, one round of red checks, and a machine that is lost
// in the middle; it goes on from its log after three minutes, and after fifteen. One JSON line at the end.

const turns = Number(process.argv[2] ?? 60);
if (!Number.isInteger(turns) || turns < 12) throw new Error("the session needs 12 turns or more");
const minute = 60_000;
const plan: CachePlan = {
  ...{ turns, wideAt: Math.floor(turns / 5), gateAt: Math.floor(turns / 3), killAt: Math.floor(turns / 2) },
  ...{ turnMs: 20_000, pauseMs: 3 * minute },
};

const soon = await playCached(plan);
const late = await playCached({ ...plan, pauseMs: 15 * minute });
const all = figuresOf(soon);
const after = figuresOf(soon.filter(({ resumed }) => resumed));
say("session", all);
say("after the resume", after);
say("after a resume when the cache has forgotten it", figuresOf(late.filter(({ resumed }) => resumed)));
first("the session", soon[0]);
first(
  "the resume",
  soon.find(({ resumed }) => resumed),
);
first(
  "the resume when the cache has forgotten it",
  late.find(({ resumed }) => resumed),
);
const { resentTokens, cachedTokens } = all;
console.log(
  JSON.stringify({
    turns,
    resentTokens,
    cachedTokens,
    share: rounded(all.share),
    shareAfterResume: rounded(after.share),
    shareOfInput: rounded(all.shareOfInput),
    costUsd: rounded(all.costUsd),
    aim: 0.95,
  }),
);

function say(what: string, { resentTokens: resent, cachedTokens: cached, ...rest }: CacheFigures): void {
  console.log(
    `${what}: ${percent(rest.share)} of ${resent} resent tokens from the cache (${cached}), ` +
      `${percent(rest.shareOfInput)} of all ${rest.inputTokens} sent, $${rest.costUsd.toFixed(3)}`,
  );
}

function first(of: string, request: Priced | undefined): void {
  if (request === undefined) throw new Error(`${of} made no request`);
  const { prompt, usage, costUsd } = request;
  console.log(
    `first request of ${of}: ${prompt} tokens, ${usage.cacheRead} read from the cache, ` +
      `${usage.cacheWrite} written to it, $${costUsd.toFixed(3)}`,
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
