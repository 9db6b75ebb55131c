import { type Digest, digestOf } from "../base/hash.ts";
import type { Check } from "./checks.ts";

/**
 * Binds a verdict to what was asked: any change of a check, or of their order, is another digest. `setup` is the approval
 * by which setup ran on what the change installs: what is found after it is not known of any other setup.
 */
export function definitionsDigest(checks: readonly Check[], setup: string | null = null): Digest {
  const fields = checks.map(({ name, run, minutes, proof, dir, network }) => [
    name,
    run,
    minutes,
    proof,
    dir,
    network,
  ]);
  const ran = setup === null ? [] : [setup];
  return digestOf(JSON.stringify(["baton/checks/1", fields, ...ran]));
}
