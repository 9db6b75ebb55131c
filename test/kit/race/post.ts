// What runs after a run on its machine: the product's `post`, behind the seed's scheduler.
import { shipRest } from "../../../src/app/ship-rest.ts";
import { tellRest } from "../../../src/app/tell-rest.ts";
import { digestOf } from "../../../src/base/hash.ts";
import type { RunRef } from "../../../src/session/event.ts";
import { type RaceMachine, sharedPorts } from "./means.ts";
import type { Stage } from "./scene.ts";
import type { Actor } from "./scheduler.ts";

/** Ships what the dead run left and tells its end; its job is over when that has ended, if it was not before. */
export function afterwards(
  stage: Stage,
  ref: RunRef,
  { machine, main }: { readonly machine: RaceMachine; readonly main: Actor },
): void {
  const { scheduler, refs } = stage;
  const actor: Actor = {
    ...{ name: `${main.name}-post`, fates: [], from: 0, state: "works", shared: 0, steps: 0 },
    onGone: () => {},
    onPost: () => {},
  };
  scheduler.trace.push(`${scheduler.step} ${main.name} post begins`);
  const end = (how: string): void => {
    scheduler.trace.push(`${scheduler.step} ${actor.name} ${how}`);
    if (!refs.ended.includes(ref)) scheduler.gone(main);
  };
  post(stage, ref, { machine, actor }).then(
    () => end("ends"),
    (error: unknown) => end(`failed: ${String(error)}`),
  );
}

async function post(
  stage: Stage,
  ref: RunRef,
  { machine, actor }: { readonly machine: RaceMachine; readonly actor: Actor },
): Promise<void> {
  const { key, clock } = stage;
  const { files, workspace } = machine;
  if (files === null) return;
  const { host, leases, shelf } = sharedPorts(stage, ref, actor);
  const { signal } = new AbortController();
  const rest = await shipRest(files, {
    shipping: () => ({
      shelf,
      key,
      clock,
      run: ref,
      workflow: ".github/workflows/agent.yml",
      nonce: () => Buffer.from(digestOf(actor.name), "hex").subarray(0, 12),
      pack: workspace.objects.pack,
    }),
    signal,
  });
  if (rest.kind === "nothing") return;
  const words = { triggerPhrase: "@baton", runUrl: null, ending: null };
  await tellRest(rest, { host, leases, shelf, key, ...words, say: () => {}, warn: () => {}, signal });
}
