import type { Tree } from "../base/hash.ts";

/** What came of sealing the workspace after a call that may have changed it. `why` names the path and the reason. */
export type Seal =
  | { readonly kind: "sealed"; readonly tree: Tree }
  | { readonly kind: "refused"; readonly why: string };
