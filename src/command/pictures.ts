/** Where a text stands that refers to pictures. */
export type TextPlace =
  | { readonly kind: "thread"; readonly number: number }
  | { readonly kind: "comment"; readonly id: number };

export type Fetched =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** `why` ends the sentence "it is left out: …" and holds nothing that was fetched. */
  | { readonly kind: "none"; readonly why: string };

/**
 * Port: what people uploaded together with their words. Resolves in every case, with one answer for each address and
 * in their order. Only the host's own storage is ever asked; every other address is `none`, and nothing is sent there.
 * `place` is where the addresses were read, null for a text that stands nowhere on the host.
 */
export type Pictures = {
  readonly fetch: (
    urls: readonly string[],
    options: {
      readonly place: TextPlace | null;
      /** Of each of them; a larger one is `none`. */
      readonly bytesMax: number;
      readonly signal: AbortSignal;
    },
  ) => Promise<readonly Fetched[]>;
};
