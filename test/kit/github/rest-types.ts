// GitHub's REST objects, as the official client types them.
import type { RestEndpointMethodTypes } from "@octokit/rest";

type Response<
  Group extends keyof RestEndpointMethodTypes,
  Method extends keyof RestEndpointMethodTypes[Group],
> = RestEndpointMethodTypes[Group][Method] extends { response: { data: infer Data } } ? Data : never;

export type RestUser = NonNullable<RestIssue["user"]>;
export type RestRepository = Response<"repos", "get">;
export type RestIssue = Response<"issues", "get">;
export type RestComment = Response<"issues", "getComment">;
export type RestReaction = Response<"reactions", "createForIssueComment">;
export type RestPull = Response<"pulls", "get">;
export type RestPullSimple = Response<"pulls", "list">[number];
export type RestFile = Response<"pulls", "listFiles">[number];
export type RestCheckRun = Response<"checks", "create">;
export type RestRun = Response<"actions", "getWorkflowRun">;
export type RestJob = Response<"actions", "getJobForWorkflowRun">;
export type RestArtifact = Response<"actions", "getArtifact">;
export type RestRef = Response<"git", "getRef">;
