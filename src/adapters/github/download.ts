import { digestOf } from "../../base/hash.ts";
import { HostUnavailable } from "../../delivery/host.ts";
import type { Got } from "../../session/shelf.ts";
import type { Place } from "./place.ts";
import { cannotTell, isAbsent } from "./refusal.ts";
import { readBounded } from "./transport.ts";

const triesMax = 3;
const retryWaitMs = 1000;
const retentionOver = "its retention is over";

export type DownloadOptions = {
  readonly bytesMax: number;
  /** One try of the download. */
  readonly getMs: number;
  readonly signal: AbortSignal;
};

/**
 * The artifact's bytes, exactly the ones whose digest GitHub recorded; `missing` where the storage keeps giving others.
 * Nothing is unpacked or written. Throws `HostUnavailable` when the storage does not answer.
 */
export async function downloadArtifact(place: Place, id: number, options: DownloadOptions): Promise<Got> {
  const facts = await factsOf(place, id, options);
  if (facts.kind === "missing") return facts;
  let why = "";
  let spoiled = false;
  for (let number = 1; number <= triesMax && !options.signal.aborted; number++) {
    if (number > 1) await place.clock.sleep(retryWaitMs, { signal: options.signal });
    // The address is signed for a minute, so every try asks for a new one.
    const url = await signedUrl(place, id, options.signal);
    if (url === null) return { kind: "missing", why: retentionOver };
    const got = await fetchBytes(url, options);
    if (got.kind === "bytes" && isWhole(got.bytes, facts.digest)) return got;
    // The storage answered in full, and with the wrong bytes each time: waiting does not help that.
    spoiled = got.kind === "bytes";
    why = got.kind === "bytes" ? `its bytes are not those GitHub recorded (${facts.digest})` : got.why;
  }
  if (spoiled) return { kind: "missing", why };
  throw new HostUnavailable(`cannot download the artifact ${id}: ${why || "cancelled"}`);
}

type Facts =
  | { readonly kind: "facts"; readonly digest: string | null }
  | { readonly kind: "missing"; readonly why: string };

async function factsOf(place: Place, id: number, { signal, bytesMax }: DownloadOptions): Promise<Facts> {
  const { client, owner, repo } = place;
  const answer = await client.ask(
    (request) => client.rest.actions.getArtifact({ owner, repo, artifact_id: id, request }),
    { signal },
  );
  if (answer.kind === "no") {
    if (isAbsent(answer)) return { kind: "missing", why: "GitHub has no such artifact (any more)" };
    throw cannotTell(`read the artifact ${id}`, answer);
  }
  const { expired, digest, size_in_bytes: size } = answer.data;
  if (expired) return { kind: "missing", why: retentionOver };
  if (size > bytesMax) return { kind: "missing", why: `it is larger (${size}) than ${bytesMax} bytes` };
  return { kind: "facts", digest: digest ?? null };
}

/** An artifact without a recorded digest is proven by its seal alone. */
function isWhole(bytes: Uint8Array, digest: string | null): boolean {
  return digest === null || digest === `sha256:${digestOf(bytes)}`;
}

async function signedUrl(place: Place, id: number, signal: AbortSignal): Promise<URL | null> {
  const { client, owner, repo } = place;
  const answer = await client.ask(
    async (request) => {
      const response = await client.rest.actions.downloadArtifact({
        owner,
        repo,
        artifact_id: id,
        archive_format: "zip",
        request: { ...request, redirect: "manual" },
      });
      return { data: response.headers.location, headers: response.headers };
    },
    { signal },
  );
  if (answer.kind === "no") {
    if (isAbsent(answer)) return null;
    throw cannotTell(`get the address of the artifact ${id}`, answer);
  }
  const url = URL.parse(answer.data ?? "");
  // Plain HTTP only where the API itself is spoken to in plain HTTP, which is never GitHub.
  const schemes = client.baseUrl.startsWith("http://") ? ["https:", "http:"] : ["https:"];
  if (url === null || !schemes.includes(url.protocol))
    throw new HostUnavailable(`GitHub gave no usable address for the artifact ${id}`);
  return url;
}

/** Without the token: the address carries its own right to read, and stands at another host. */
async function fetchBytes(url: URL, { bytesMax, getMs, signal }: DownloadOptions): Promise<Got> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`not within ${getMs / 1000} s`)), getMs);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, deadline.signal]),
      redirect: "error",
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { kind: "missing", why: `the storage answered ${response.status}` };
    }
    return { kind: "bytes", bytes: await readBounded(response, bytesMax) };
  } catch (error) {
    return { kind: "missing", why: error instanceof Error ? error.message : "no answer" };
  } finally {
    clearTimeout(timer);
  }
}
