// Azure's own storage emulator, in this process and in memory; loaded at the first artifact, for it takes a while.
import { createRequire } from "node:module";
import type { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";

// The emulator's public, documented development account.
export const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const containerName = "artifacts";
const signatureMs = 10 * 60 * 1000;
const clockSkewMs = 60 * 1000;

export type BlobStore = AsyncDisposable & {
  /** Where the emulator listens, without a path. */
  readonly origin: string;
  /** Path and query of a signed URL that allows to read, or to create and write, one blob. */
  signedPath(blob: string, allow: "read" | "write"): string;
  read(blob: string): Promise<Buffer>;
  write(blob: string, bytes: Buffer): Promise<void>;
};

type Azurite = {
  start(): Promise<void>;
  close(): Promise<void>;
  getHttpServerAddress(): string;
};

export async function startBlobStore(): Promise<BlobStore> {
  const server = openAzurite();
  await server.start();
  const origin = server.getHttpServerAddress();
  const azure = await import("@azure/storage-blob");
  const credential = new azure.StorageSharedKeyCredential(account, key);
  const service = new azure.BlobServiceClient(`${origin}/${account}`, credential);
  const container = service.getContainerClient(containerName);
  await container.create();
  return {
    origin,
    signedPath: (blob, allow) => signedPath(azure, { container, credential, blob, allow }),
    read: (blob) => container.getBlobClient(blob).downloadToBuffer(),
    async write(blob, bytes) {
      await container.getBlockBlobClient(blob).uploadData(bytes);
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

type Signing = {
  readonly container: ContainerClient;
  readonly credential: StorageSharedKeyCredential;
  readonly blob: string;
  readonly allow: "read" | "write";
};

function signedPath(azure: typeof import("@azure/storage-blob"), signing: Signing): string {
  const { container, credential, blob, allow } = signing;
  const now = Date.now();
  const query = azure.generateBlobSASQueryParameters(
    {
      containerName,
      blobName: blob,
      permissions: azure.BlobSASPermissions.parse(allow === "read" ? "r" : "cw"),
      startsOn: new Date(now - clockSkewMs),
      expiresOn: new Date(now + signatureMs),
    },
    credential,
  );
  return `${new URL(container.getBlobClient(blob).url).pathname}?${query}`;
}

function openAzurite(): Azurite {
  const require = createRequire(import.meta.url);
  const { default: Configuration } = require("azurite/dist/src/blob/BlobConfiguration");
  const { default: Server } = require("azurite/dist/src/blob/BlobServer");
  const { DEFAULT_BLOB_PERSISTENCE_ARRAY: places } = require("azurite/dist/src/blob/utils/constants");
  const [host, port, keepAliveSeconds, inMemory, skipVersionCheck] = ["127.0.0.1", 0, 5, true, true];
  const [accessLog, debugLog, loose, productStyleOff] = [false, false, true, false];
  return new Server(
    new Configuration(
      host,
      port,
      keepAliveSeconds,
      "unused",
      "unused",
      places,
      accessLog,
      undefined,
      debugLog,
      undefined,
      loose,
      skipVersionCheck,
      "",
      "",
      "",
      undefined,
      productStyleOff,
      inMemory,
    ),
  );
}
