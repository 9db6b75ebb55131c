import { type Digest, digestOf } from "../base/hash.ts";
import type { Means } from "./means.ts";

/** The version of the way requests are built from the log: a session is only resumed by the one that began it. */
export const protocol = 2;

/** What the model was told of its tools; a session with other ones cannot go on. */
export function toolsDigest({ tools }: Pick<Means, "tools">): Digest {
  return digestOf(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => [name, description, inputSchema])),
  );
}
