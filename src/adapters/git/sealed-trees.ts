import { join } from "node:path";
import type { Sha, Tree } from "../../base/hash.ts";
import { ObjectReader } from "./object-reader.ts";
import { packTrees } from "./packs.ts";

/**
 * The sealed trees that a workspace in `dir` left behind, for a later process that only ships them. Nothing is
 * fetched and nothing is written. `pack` throws when a tree is not there whole.
 */
export function sealedTrees({
  dir,
  path,
  baseSha,
}: {
  readonly dir: string;
  readonly path: string;
  readonly baseSha: Sha;
}): {
  readonly pack: (options: {
    readonly have: readonly Tree[];
    readonly want: readonly Tree[];
  }) => Promise<Uint8Array>;
} {
  const place = { gitDir: join(dir, "trees.git"), home: dir, path };
  return {
    pack: async ({ have, want }) => {
      await using reader = new ObjectReader(place);
      const base = await reader.find(`${baseSha}^{tree}`);
      return await packTrees(place, {
        want,
        without: [...(base === null ? [] : [base.id as Tree]), ...have],
      });
    },
  };
}
