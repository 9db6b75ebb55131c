import { type Digest, digestOf } from "../base/hash.ts";
import type { Check } from "./checks.ts";

/** Binds a verdict to what was asked: any change of a check, or of their order, is another digest. */
export function definitionsDigest(checks: readonly Check[]): Digest {
  const fields = checks.map(({ name, run, minutes, proof, dir, network }) => [
    name,
    run,
    minutes,
    proof,
    dir,
    network,
  ]);
  return digestOf(JSON.stringify(["baton/checks/1", fields]));
}
