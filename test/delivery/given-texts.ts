import type { Tree } from "../../src/base/hash.ts";
import { markerOf } from "../../src/delivery/marker.ts";
import type { PullRequestFacts } from "../../src/delivery/pull-request.ts";
import type { EvidenceRow } from "../../src/gate/evidence.ts";
import type { SealKey } from "../../src/session/shipment.ts";
import { sessionId } from "../kit/given.ts";
import { row } from "./given-evidence.ts";

export const session = sessionId();
export const key = {
  id: "k",
  key: new Uint8Array(32),
  mac: new Uint8Array(32).fill(1),
} as unknown as SealKey;

export const evidence: readonly EvidenceRow[] = [
  row,
  {
    ...row,
    check: "lint",
    command: "npm run lint",
    dir: "packages/core",
    onBase: "green",
    msOnTree: 65_000,
    countsOnBase: null,
    countsOnTree: null,
  },
];

export const pull: PullRequestFacts = {
  session,
  triggerPhrase: "/agent",
  marker: markerOf(key, session, "pull-request"),
  tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" as Tree,
  closes: 7,
  summary: "# Keep the limit when it is lowered\n\nFixes #7 and, says the issue, fixes #8.\n\n/agent resume",
  evidence,
  flagged: [{ path: "package.json", why: "protected by .github/agent.yml" }],
  dependencies: [
    {
      path: "package.json",
      as: "a manifest of npm",
      how: "exactly",
      origins: [],
      packages: [{ name: "left-pad", before: null, after: "^1.3.0" }],
    },
  ],
  leftOut: ["The README was not changed."],
  runUrl: "https://github.com/octo/demo/actions/runs/5",
  startsChecks: false,
  sandboxOff: false,
};
