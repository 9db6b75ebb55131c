import { HostForbidden, type HostRefusal, HostUnavailable } from "../../delivery/host.ts";
import type { No } from "./client.ts";

/** A line of a workflow's `permissions:`, such as `contents: write`. */
export type Needs =
  | "contents: write"
  | "pull-requests: write"
  | "issues: write"
  | "checks: write"
  | "actions: read";

type Code = HostRefusal["code"];

// GitHub tells most refusals apart only by its sentence. Order matters: the narrow ones first.
const bySentence: readonly (readonly [RegExp, Code])[] = [
  [/rate limit|abuse detection/i, "unavailable"],
  [/not permitted to create or approve pull requests/i, "not-permitted"],
  [/\balready exists\b/i, "exists"],
  [
    /refusing to allow .* workflow|rule violations?|GH0\d\d|protected branch|push protection|secret|must be signed|signed commits/i,
    "rejected",
  ],
  [/\block(ed)?\b/i, "locked"],
  [/not accessible by|must have (push|write|admin)|archived|SAML|permission/i, "forbidden"],
];

/** What a write that GitHub did not do means to delivery. `needs` names the missing permission where that is why. */
export function refusalOf(no: No, needs: Needs): HostRefusal {
  const code = codeOf(no);
  const why = code === "forbidden" ? `${no.why} (needs \`${needs}\`)` : said(no);
  return { kind: "refused", code, why, ...(isTurnedAway(no) && { unmade: true }) };
}

/** A job's token dies with its job or after a day, an App's after an hour; GitHub's own words do not say that. */
function said({ status, why }: No): string {
  return status === 401 ? `${why} (the token has expired, or was revoked)` : why;
}

/** By a token that died or a limit, before anything was done. */
function isTurnedAway({ status }: No): boolean {
  return status === 401 || status === 403 || status === 429;
}

function codeOf({ status, why }: No): Code {
  // 401 is a token that died (a job's ends with the job, an App's after an hour): the work is kept, not refused.
  if (status === null || status === 401 || status >= 500) return "unavailable";
  if (status === 404 || status === 410) return "gone";
  const known = bySentence.find(([sentence]) => sentence.test(why));
  if (known) return known[1];
  if (status === 429) return "unavailable";
  return status === 403 ? "forbidden" : "rejected";
}

/** Nothing is there, as opposed to not being able to tell. */
export function isAbsent(no: No): boolean {
  return no.status === 404 || no.status === 410;
}

/** A look-up that got no answer is no answer: the caller must not take it for "nothing there". */
export function cannotTell(what: string, no: No, needs?: Needs): HostUnavailable {
  const status = no.status === null ? "" : ` (status ${no.status})`;
  const why = `cannot ${what} at GitHub${status}: ${said(no)}`;
  if (codeOf(no) !== "forbidden") return new HostUnavailable(why);
  return new HostForbidden(needs === undefined ? why : `${why} (needs \`${needs}\`)`);
}
