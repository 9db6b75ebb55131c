import type { CommentHost, RecentComment } from "../../delivery/host.ts";
import { type Answer, untilAnswered } from "./client.ts";
import type { OwnIdentity } from "./identity.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";
import { cannotTell, refusalOf } from "./refusal.ts";

const needs = "issues: write";
const pageLength = 100;

/** Comments on issues and pull requests, which GitHub keeps in one place. */
export function githubComments(place: Place, identity: OwnIdentity): CommentHost {
  const { client, owner, repo, signal } = place;
  // An App whose name we were not told shows itself in what it makes; then its comments of this run are ours too.
  const own = new Set([identity.login]);
  const recent = recentList(place);
  return {
    find: async (number, marker) => {
      const comments = await listed(place, number);
      return comments
        .filter((comment) => own.has(comment.user?.login ?? "") && (comment.body ?? "").includes(marker))
        .map((comment) => ({ id: comment.id, url: comment.html_url, body: comment.body ?? "" }))
        .sort((a, b) => a.id - b.id);
    },
    recent: async (number, options) => {
      const comments = await recent(number, options);
      return comments.map(
        ({ user, ...comment }): RecentComment => ({
          ...{ id: comment.id, url: comment.html_url, body: comment.body ?? "" },
          author: user && { login: user.login, id: user.id, type: user.type },
          own: own.has(user?.login ?? ""),
          createdAt: Date.parse(comment.created_at),
          edited: comment.updated_at !== comment.created_at,
        }),
      );
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
      const made = await untilAnswered(place, () =>
        client.ask(
          (request) => client.rest.issues.updateComment({ owner, repo, comment_id: id, body, request }),
          { signal },
        ),
      );
      if (made.kind === "no") return refusalOf(made, needs);
      return { kind: "made", id: made.data.id, url: made.data.html_url };
    },
    react: async (commentId, content) => {
      const at = { owner, repo, comment_id: commentId, content };
      // An account reacts so once, however often it is asked.
      await untilAnswered(place, () =>
        client.ask((request) => client.rest.reactions.createForIssueComment({ ...at, request }), { signal }),
      );
    },
    reacted: async (commentId, content) => {
      const at = { owner, repo, comment_id: commentId, content, per_page: pageLength };
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

type Listed = Awaited<ReturnType<Place["client"]["rest"]["issues"]["listComments"]>>["data"];

async function listed({ client, owner, repo, signal }: Place, number: number): Promise<Listed> {
  const at = { owner, repo, issue_number: number, per_page: pageLength };
  const found = await allPages<Listed, Listed[number]>(
    (page) => client.ask((request) => client.rest.issues.listComments({ ...at, page, request }), { signal }),
    (data) => data,
  );
  if (found.kind === "no") throw cannotTell(`read the comments of #${number}`, found, needs);
  return [...found.items];
}

/**
 * A list that is asked for again and again. What was read last is kept, and GitHub is asked whether it is still so,
 * which does not count against its limit. That holds for a page with room: a full one stays the same whatever follows.
 */
function recentList({ client, owner, repo, signal: ends }: Place) {
  let last: { readonly of: string; readonly etag: string; readonly items: Listed } | null = null;
  return async (
    number: number,
    { since: from, signal: own }: { readonly since: number; readonly signal: AbortSignal },
  ): Promise<Listed> => {
    const signal = AbortSignal.any([ends, own]);
    const since = new Date(from).toISOString();
    const of = `${number} since ${since}`;
    const known = last?.of === of ? last : null;
    const headers = known === null ? {} : { "if-none-match": known.etag };
    const at = { owner, repo, issue_number: number, per_page: pageLength, since };
    const etags: (string | null)[] = [];
    const ask = async (page: number): Promise<Answer<Listed>> => {
      const answer = await client.ask(
        (request) =>
          client.rest.issues.listComments({ ...at, page, request, ...(page === 1 && { headers }) }),
        { signal },
      );
      if (answer.kind === "ok") etags.push(answer.etag);
      return answer;
    };
    const found = await allPages<Listed, Listed[number]>(ask, (data) => data);
    if (found.kind === "no" && found.status === 304 && known !== null) return known.items;
    if (found.kind === "no") throw cannotTell(`read the comments of #${number}`, found, needs);
    const items = [...found.items];
    const [etag = null] = etags;
    last = etag === null || items.length >= pageLength ? null : { of, etag, items };
    return items;
  };
}
