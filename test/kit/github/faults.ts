// Faults that a test asks for: an answer instead of GitHub's, or a connection that breaks.

export type FaultRule = {
  /** HTTP method; every method when absent. */
  readonly method?: string;
  /** Matched against the path with its query: REST, git, `/twirp/…` and `/devstoreaccount1/…` (blobs) alike. */
  readonly path: RegExp;
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many matching requests fail; 1 when absent. */
  readonly times?: number;
  /** Matching requests that are let through first. */
  readonly skip?: number;
  /** Instead of an answer: the connection is reset; no answer ever comes; it breaks in the middle of the answer. */
  readonly network?: "reset" | "stall" | "cut";
  /** The request is carried out, and the body of its answer is another one. */
  readonly change?: (body: Buffer) => Buffer;
  /** The request is carried out all the same, and only its answer is replaced or lost. */
  readonly after?: boolean;
  /** Told of each request that is struck, before it is answered. */
  readonly struck?: () => void;
};

export type Faults = {
  add(rule: FaultRule): void;
  /** Takes all rules away. */
  clear(): void;
  /** The rule that strikes this request, if any; counts it. */
  strike(method: string, path: string): FaultRule | undefined;
};

export function openFaults(): Faults {
  let armed: { readonly rule: FaultRule; skip: number; left: number }[] = [];
  return {
    add(rule) {
      if (rule.status === undefined && rule.network === undefined && rule.change === undefined) {
        throw new Error("a fault needs a status, network or change");
      }
      armed.push({ rule, skip: rule.skip ?? 0, left: rule.times ?? 1 });
    },
    clear() {
      armed = [];
    },
    strike(method, path) {
      for (const fault of armed) {
        const { rule } = fault;
        if (fault.left === 0 || (rule.method ?? method) !== method || !rule.path.test(path)) continue;
        if (fault.skip > 0) {
          fault.skip -= 1;
          continue;
        }
        fault.left -= 1;
        return rule;
      }
      return undefined;
    },
  };
}
