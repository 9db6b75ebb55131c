import type { Host } from "../../delivery/host.ts";
import { githubBranches } from "./branches.ts";
import { githubCheckRuns } from "./checks.ts";
import { githubComments } from "./comments.ts";
import { threadFacts } from "./facts.ts";
import type { OwnIdentity } from "./identity.ts";
import type { Place } from "./place.ts";
import { githubPullRequests } from "./pull-requests.ts";

/** GitHub itself. `identity` says whose comments count as ours; the place's signal ends every request. */
export function githubHost(place: Place & { readonly identity: OwnIdentity }): Host {
  return {
    allowance: {
      get left() {
        return place.client.left();
      },
    },
    thread: (number) => threadFacts(place, number),
    branch: githubBranches(place),
    pullRequest: githubPullRequests(place),
    comment: githubComments(place, place.identity),
    checkRun: githubCheckRuns(place),
  };
}
