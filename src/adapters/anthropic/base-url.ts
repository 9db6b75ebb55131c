/** Where requests go. `url` has no path at its end that the client would add again, no query and no credentials. */
export type BaseUrl =
  | { readonly kind: "url"; readonly url: string; readonly host: string }
  | { readonly kind: "refused"; readonly why: string };

const anthropic = "https://api.anthropic.com";

/** Null or blank is Anthropic itself. Anything else has to be https, or on this machine. */
export function parseBaseUrl(text: string | null): BaseUrl {
  const given = text?.trim() ?? "";
  const url = URL.parse(given === "" ? anthropic : given);
  if (url === null) return { kind: "refused", why: "the base URL is not a URL" };
  if (url.username !== "" || url.password !== "") {
    return { kind: "refused", why: "the base URL must not hold credentials" };
  }
  if (url.search !== "" || url.hash !== "") {
    return { kind: "refused", why: "the base URL must not have a query or a fragment" };
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    return { kind: "refused", why: `the base URL must be https unless it is on this machine (${url.host})` };
  }
  return { kind: "url", url: url.href.replace(/\/+$/, "").replace(/\/v1$/, ""), host: url.host };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
