import type { Fetched, Pictures, TextPlace } from "../../command/pictures.ts";
import { type AttachmentAddresses, attachmentAddresses, signedIn } from "./attachment-address.ts";
import type { Place } from "./place.ts";

/** One picture, its redirects included. */
const fetchMs = 20_000;
const redirectsMax = 3;

/**
 * What people uploaded to this GitHub. A picture of a private repository is fetched under the address that GitHub signs
 * when it makes HTML of the text; the token goes to the API, and never along with a picture.
 */
export function githubPictures(place: Place, options: { readonly serverUrl: string }): Pictures {
  const addresses = attachmentAddresses({ serverUrl: options.serverUrl, apiUrl: place.client.baseUrl });
  return {
    fetch: async (urls, { place: text, bytesMax, signal }) => {
      const named = urls.map((url) => addresses.read(url));
      const anySigned = named.some((one) => one !== null && one.id !== null);
      const html = anySigned && text !== null ? await htmlOf(text, place, signal) : "";
      const signed = signedIn(html, addresses);
      return Promise.all(
        named.map(async (one): Promise<Fetched> => {
          if (one === null) return { kind: "none", why: "it is not stored on GitHub" };
          const url = (one.id === null ? undefined : signed.get(one.id)) ?? one.url;
          return fetchFrom(url, addresses, { bytesMax, signal });
        }),
      );
    },
  };
}

/** The text as GitHub shows it; "" where that cannot be had, and only what everybody may fetch is found then. */
async function htmlOf(text: TextPlace, { client, owner, repo }: Place, signal: AbortSignal): Promise<string> {
  const where = { owner, repo, mediaType: { format: "full+json" } };
  const answer = await client.ask<{ readonly body_html?: string }>(
    (request) =>
      text.kind === "thread"
        ? client.rest.issues.get({ ...where, issue_number: text.number, request })
        : client.rest.issues.getComment({ ...where, comment_id: text.id, request }),
    { signal },
  );
  return answer.kind === "no" ? "" : (answer.data.body_html ?? "");
}

type Bounds = { readonly bytesMax: number; readonly signal: AbortSignal };

async function fetchFrom(
  url: URL,
  addresses: AttachmentAddresses,
  { bytesMax, signal }: Bounds,
): Promise<Fetched> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), fetchMs);
  const ending = AbortSignal.any([signal, deadline.signal]);
  try {
    return await follow(url, addresses, { bytesMax, signal: ending });
  } catch {
    // What fetch says of a failure may hold the address, and that is a right to read.
    if (signal.aborted) return none("the run was cancelled");
    return none(
      deadline.signal.aborted ? `it did not come within ${fetchMs / 1000} s` : "it did not come whole",
    );
  } finally {
    clearTimeout(timer);
  }
}

async function follow(
  url: URL,
  addresses: AttachmentAddresses,
  { bytesMax, signal }: Bounds,
): Promise<Fetched> {
  let at = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await fetch(at, { signal, redirect: "manual", headers: { accept: "image/*" } });
    if (response.status === 200) return bytesOf(response, bytesMax);
    await response.body?.cancel();
    const next = response.status > 300 && response.status < 400 ? response.headers.get("location") : null;
    if (next === null) return none(`GitHub answered ${response.status}`);
    const target = URL.parse(next, at.href);
    if (target === null || !addresses.isStorage(target))
      return none("GitHub sent us to an address that is not its own");
    at = target;
  }
  return none("GitHub sent us on too often");
}

async function bytesOf(response: Response, bytesMax: number): Promise<Fetched> {
  const tooLarge = none(`it is larger than ${bytesMax} bytes`);
  if (Number(response.headers.get("content-length")) > bytesMax) {
    await response.body?.cancel();
    return tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return tooLarge;
    chunks.push(chunk);
  }
  return { kind: "bytes", bytes: Buffer.concat(chunks) };
}

function none(why: string): Fetched {
  return { kind: "none", why };
}
