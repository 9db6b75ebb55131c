/** Reads one version of a file of a change, or any file of the base; null where it does not exist. */
export type ReadFile = (path: string) => Promise<Uint8Array | null>;

/** The files of a change as they were on base, where any file can be read, and as they would leave. */
export type Contents = { readonly before: ReadFile; readonly after: ReadFile };
