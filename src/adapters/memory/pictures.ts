import type { Pictures } from "../../command/pictures.ts";

/** Pictures by their address; every other one is not there. */
export function memoryPictures(files: Readonly<Record<string, Uint8Array>>): Pictures {
  return {
    fetch: async (urls, { bytesMax }) =>
      urls.map((url) => {
        const bytes = Object.hasOwn(files, url) ? files[url] : undefined;
        if (bytes === undefined) return { kind: "none", why: "it is not stored here" };
        if (bytes.length > bytesMax) return { kind: "none", why: `it is larger than ${bytesMax} bytes` };
        return { kind: "bytes", bytes };
      }),
  };
}
