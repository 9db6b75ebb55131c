/** One request and what became of it, as a test sees it afterwards. */
export type Exchange = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** 0 when the connection was reset. */
  readonly status: number;
  readonly via: "rest" | "graphql" | "git" | "twirp" | "blob" | "attachment";
  /** Whether an Authorization header came with it. */
  readonly authorized: boolean;
  /** Whose token it was, if it was one of ours. */
  readonly login?: string;
  readonly requestBody?: unknown;
  /** A fault rule struck. */
  readonly fault?: true;
  /** How the exchange broke GitHub's contract; empty when it kept it. */
  readonly problems: readonly string[];
};
