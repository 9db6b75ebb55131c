import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Put } from "../../session/shelf.ts";

export type UploadOptions = {
  readonly retentionDays: number;
  /** Where the bytes stand while they are sent; a fresh directory is made in it and removed. */
  readonly tempDir: string;
  /** How long one upload may take before it counts as failed, besides the time that its bytes need. */
  readonly putMs: number;
  /**
   * The file's name in a zip, for people: what they download with unpacks it. Left out, the artifact is the bytes
   * themselves (`skipArchive`), so that nothing ever has to be unzipped.
   */
  readonly zipped?: string;
  readonly signal: AbortSignal;
};

/**
 * Stores one file as an artifact of the current run. The service's address and token are read from the environment by
 * `@actions/artifact` itself.
 *
 * The client tries each of its requests five times, over half a minute, and takes neither a signal nor another
 * count. So `putMs` and the signal only end our waiting: an upload given up here may still be stored, which is why
 * `failed` asks for another name.
 */
export async function uploadArtifact(name: string, bytes: Uint8Array, options: UploadOptions): Promise<Put> {
  if (options.signal.aborted) return { kind: "failed", why: "cancelled" };
  const dir = await mkdtemp(join(options.tempDir, "shipment-")).catch(whyOf);
  if (typeof dir !== "string") return dir;
  // With skipArchive the file's name is the artifact's name.
  const file = join(dir, options.zipped ?? name);
  const unwritten = await writeFile(file, bytes, { flag: "wx", mode: 0o600 }).catch(whyOf);
  const sent =
    unwritten === undefined
      ? send(name, file, { ...options, dir, bytes: bytes.length })
      : Promise.resolve(unwritten);
  // Removed when the client is done with it, which may be after we stopped waiting.
  const cleaned = sent.finally(() => rm(dir, { recursive: true, force: true }));
  const putMs = options.putMs + Math.ceil((bytes.length / bytesPerSecondMin) * 1000);
  return first(cleaned, { putMs, signal: options.signal });
}

/** The client takes a file, and a full disk takes none. */
function whyOf(error: unknown): Put {
  return { kind: "failed", why: String(error) };
}

/** A line slower than this is taken for one that stands still. */
const bytesPerSecondMin = 512 * 1024;

async function send(
  name: string,
  file: string,
  { dir, bytes, retentionDays, zipped }: UploadOptions & { readonly dir: string; readonly bytes: number },
): Promise<Put> {
  const skipArchive = zipped === undefined;
  try {
    // Loading it takes a quarter of a second, which a run that ships nothing need not pay.
    const { DefaultArtifactClient } = await import("@actions/artifact");
    const client = new DefaultArtifactClient();
    const stored = await client.uploadArtifact(name, [file], dir, { retentionDays, skipArchive });
    const size = stored.size ?? 0;
    if (stored.id === undefined || size === 0 || (skipArchive && size !== bytes))
      return { kind: "failed", why: `the service holds ${size} of ${bytes} bytes` };
    return { kind: "stored", id: String(stored.id) };
  } catch (error) {
    return putOf(error instanceof Error ? error.message : String(error));
  }
}

async function first(
  sent: Promise<Put>,
  { putMs, signal }: Pick<UploadOptions, "putMs" | "signal">,
): Promise<Put> {
  const { promise: ended, resolve } = Promise.withResolvers<Put>();
  const cancel = () => resolve({ kind: "failed", why: "cancelled" });
  const timer = setTimeout(
    () => resolve({ kind: "failed", why: `the upload did not end within ${putMs / 1000} s` }),
    putMs,
  );
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await Promise.race([sent, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

const whyCharactersMax = 300;

/** The client reports everything as a sentence. */
function putOf(message: string): Put {
  const why = (message.split("\n")[0] ?? "").slice(0, whyCharactersMax);
  if (/\(409\)|already exists/i.test(message)) return { kind: "taken" };
  const never =
    /storage quota|insufficient usage|\((401|403)\)|disabled|ACTIONS_(RUNTIME_TOKEN|RESULTS_URL)|GHES/i;
  if (never.test(message)) return { kind: "unavailable", why };
  return { kind: "failed", why };
}
