/** GitHub's roles, weakest first. */
export type Role = "none" | "read" | "triage" | "write" | "maintain" | "admin";

export type Looked =
  | { readonly kind: "role"; readonly role: Role }
  | { readonly kind: "unknown"; readonly why: string };

/** Port: what an account may do in this repository, asked at the collaborator endpoint, never guessed from `author_association`. */
export type Permissions = {
  /** A failed look-up is `unknown`, which refuses (R1). */
  readonly of: (login: string, options: { readonly signal: AbortSignal }) => Promise<Looked>;
};
