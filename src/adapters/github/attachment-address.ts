/** Where the pictures of a GitHub are, and where they may be fetched from. Everything else is never asked. */
export type AttachmentAddresses = {
  /** What an address in a text names; null where it is none of a picture that this GitHub keeps. */
  readonly read: (address: string) => Attachment | null;
  /** Whether an address that GitHub gives is one of its storage: a redirect's target, or what it has signed. */
  readonly isStorage: (url: URL) => boolean;
};

/** `id` is the file's own, by which GitHub's signed address of it is known; null for what everybody may fetch. */
export type Attachment = { readonly url: URL; readonly id: string | null };

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const uploaded = new RegExp(`^/(?:user-attachments|[\\w.-]+/[\\w.-]+)/assets/(?:\\d+/)?(${uuid})$`, "i");
const signed = new RegExp(`^/\\d+/\\d+-(${uuid})(?:\\.\\w{1,8})?$`, "i");

/** The storage of github.com. Any other GitHub keeps everything at the addresses of its own pages and its own API. */
const storageHosts =
  /^(?:private-user-images|user-images)\.githubusercontent\.com$|^github-production-user-asset-[0-9a-f]{6}\.s3\.amazonaws\.com$/;

/** Both as the runner gives them: where this GitHub's pages are, such as `https://github.com`, and where its API is. */
export function attachmentAddresses({
  serverUrl,
  apiUrl,
}: {
  readonly serverUrl: string;
  readonly apiUrl: string;
}): AttachmentAddresses {
  const server = new URL(serverUrl);
  const own = [server.origin, new URL(apiUrl).origin];
  const isStorage =
    server.origin === "https://github.com" ? isPublicStorage : (url: URL) => own.includes(url.origin);
  return {
    isStorage: (url) => !hasCredentials(url) && isStorage(url),
    read: (address) => {
      const url = URL.parse(address);
      if (url === null || hasCredentials(url)) return null;
      if (url.origin !== server.origin) return isStorage === isPublicStorage ? readStored(url) : null;
      const id = uploaded.exec(url.pathname)?.[1];
      return id === undefined ? null : { url, id: id.toLowerCase() };
    },
  };
}

function isPublicStorage({ protocol, port, hostname }: URL): boolean {
  return protocol === "https:" && port === "" && storageHosts.test(hostname);
}

/** An address of the storage itself, as older texts hold it. */
function readStored(url: URL): Attachment | null {
  if (!isPublicStorage(url)) return null;
  if (url.hostname === "user-images.githubusercontent.com") return { url, id: null };
  const id = signed.exec(url.pathname)?.[1];
  return url.hostname === "private-user-images.githubusercontent.com" && id !== undefined
    ? { url, id: id.toLowerCase() }
    : null;
}

/**
 * The signed addresses in what GitHub makes of a text, by the file's id. They carry their own right to read, for some
 * minutes, so that no token is ever sent with them.
 */
export function signedIn(html: string, { isStorage }: AttachmentAddresses): ReadonlyMap<string, URL> {
  const found = new Map<string, URL>();
  for (const [, value = ""] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) {
    const url = URL.parse(value.replaceAll("&amp;", "&"));
    const id = url === null ? undefined : signed.exec(url.pathname)?.[1]?.toLowerCase();
    if (url !== null && id !== undefined && isStorage(url) && !found.has(id)) found.set(id, url);
  }
  return found;
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}
