import type { CommentHost } from "../../delivery/host.ts";
import type { OwnIdentity } from "./identity.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";
import { cannotTell, refusalOf } from "./refusal.ts";

const needs = "issues: write";

/** Comments on issues and pull requests, which GitHub keeps in one place. */
export function githubComments(place: Place, identity: OwnIdentity): CommentHost {
  const { client, owner, repo, signal } = place;
  // An App whose name we were not told shows itself in what it makes; then its comments of this run are ours too.
  const own = new Set([identity.login]);
  return {
    find: async (number, marker) => {
      const comments = await listed(place, number);
      return comments
        .filter((comment) => own.has(comment.user?.login ?? "") && (comment.body ?? "").includes(marker))
        .map((comment) => ({ id: comment.id, url: comment.html_url, body: comment.body ?? "" }))
        .sort((a, b) => a.id - b.id);
    },
    recent: async (number, { since }) => {
      const comments = await listed(place, number, new Date(since).toISOString());
      return comments.map(({ id, html_url: url, body = "", user }) => ({
        ...{ id, url, body, own: own.has(user?.login ?? "") },
        author: user?.type === "User" ? user.login : null,
      }));
    },
    create: async (number, body) => {
      const made = await client.ask(
        (request) => client.rest.issues.createComment({ owner, repo, issue_number: number, body, request }),
        { signal },
      );
      if (made.kind === "no") return refusalOf(made, needs);
      if (made.data.user) own.add(made.data.user.login);
      return { kind: "made", id: made.data.id, url: made.data.html_url };
    },
    update: async (id, body) => {
      const made = await client.ask(
        (request) => client.rest.issues.updateComment({ owner, repo, comment_id: id, body, request }),
        { signal },
      );
      if (made.kind === "no") return refusalOf(made, needs);
      return { kind: "made", id: made.data.id, url: made.data.html_url };
    },
    react: async (commentId, content) => {
      await client.ask(
        (request) =>
          client.rest.reactions.createForIssueComment({
            owner,
            repo,
            comment_id: commentId,
            content,
            request,
          }),
        { signal },
      );
    },
    reacted: async (commentId, content) => {
      const at = { owner, repo, comment_id: commentId, content, per_page: 100 };
      const found = await allPages(
        (page) =>
          client.ask((request) => client.rest.reactions.listForIssueComment({ ...at, page, request }), {
            signal,
          }),
        (data) => data,
      );
      if (found.kind === "no") throw cannotTell(`read the reactions to comment ${commentId}`, found, needs);
      return found.items.some(({ user }) => own.has(user?.login ?? ""));
    },
  };
}

async function listed({ client, owner, repo, signal }: Place, number: number, since?: string) {
  const at = { owner, repo, issue_number: number, per_page: 100, ...(since === undefined ? {} : { since }) };
  const found = await allPages(
    (page) => client.ask((request) => client.rest.issues.listComments({ ...at, page, request }), { signal }),
    (data) => data,
  );
  if (found.kind === "no") throw cannotTell(`read the comments of #${number}`, found, needs);
  return found.items;
}
