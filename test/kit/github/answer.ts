// What a handler gets and gives, and the forms that all of GitHub's answers share.
import { createHash } from "node:crypto";
import type { Account } from "./world.ts";

export type Call = {
  readonly operation: string;
  readonly method: string;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  /** The JSON body, already checked against the contract; an empty object when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly accept: string;
  /** Who asks; nobody without a token. */
  readonly caller: Account | undefined;
};

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, except a Buffer, which is sent as it is. Absent: no body. */
  readonly body?: unknown;
};

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Handlers by the operation's name in GitHub's OpenAPI description, such as `issues/get`. */
export type Handlers = Readonly<Record<string, Handler>>;

export type FieldError = {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
};

export const documentation = "https://docs.github.com/rest";

export function answer(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return { status, ...(body !== undefined && { body }), ...(headers && { headers }) };
}

export function refuse(status: number, message: string, errors?: readonly FieldError[]): Answer {
  return answer(status, {
    message,
    ...(errors && { errors }),
    documentation_url: documentation,
    status: String(status),
  });
}

export const notFound = (): Answer => refuse(404, "Not Found");

export const notAccessible = (): Answer => refuse(403, "Resource not accessible by integration");

export function invalid(resource: string, field: string, code = "invalid"): Answer {
  return refuse(422, "Validation Failed", [{ resource, field, code }]);
}

export type Page<T> = { readonly items: readonly T[]; readonly headers: Readonly<Record<string, string>> };

/** One page of a list, with the Link header that GitHub sends when there are more. */
export function paginate<T>(url: URL, items: readonly T[]): Page<T> {
  const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 30));
  const number = Math.max(1, Number(url.searchParams.get("page") ?? 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const links: string[] = [];
  const link = (page: number, rel: string) => {
    const to = new URL(url);
    to.searchParams.set("page", String(page));
    links.push(`<${to.href}>; rel="${rel}"`);
  };
  if (number > 1) link(number - 1, "prev");
  if (number < last) link(number + 1, "next");
  if (number < last) link(last, "last");
  if (number > 1) link(1, "first");
  return {
    items: items.slice((number - 1) * size, number * size),
    headers: links.length > 0 ? { link: links.join(", ") } : {},
  };
}

export function listAnswer(url: URL, items: readonly unknown[]): Answer {
  const page = paginate(url, items);
  return answer(200, page.items, page.headers);
}

/** A string of the body, or nothing if it is absent or of another type. */
export function textOf(call: Call, name: string): string | undefined {
  const value = call.body[name];
  return typeof value === "string" ? value : undefined;
}

/** The answer to a read with its ETag, or 304 where the caller has that very answer. */
export function conditional(given: Answer, ifNoneMatch: string | undefined): Answer {
  if (given.status !== 200 || given.body === undefined || Buffer.isBuffer(given.body)) return given;
  const etag = `W/"${createHash("sha256").update(JSON.stringify(given.body)).digest("hex")}"`;
  const headers = { ...given.headers, etag };
  return ifNoneMatch === etag ? { status: 304, headers } : { ...given, headers };
}
