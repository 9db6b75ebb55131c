/** A passing notification; never stored, may be dropped. */
export type Live =
  | { readonly kind: "text.delta"; readonly text: string }
  | { readonly kind: "thinking.delta"; readonly text: string }
  | { readonly kind: "call.delta"; readonly id: string; readonly json: string }
  | { readonly kind: "output.delta"; readonly id: string; readonly text: string }
  | { readonly kind: "retry.wait"; readonly ms: number; readonly reason: string }
  | { readonly kind: "progress"; readonly text: string };

export type OnLive = (live: Live) => void;
