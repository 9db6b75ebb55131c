// Where a delivery can be struck, and by what.
import type { Exchange } from "../github/exchange.ts";
import type { FaultRule } from "../github/faults.ts";
import type { SceneKind } from "./scene.ts";

/** A write of a reference delivery: the `nth` of its kind that goes to an address of this form. */
export type Point = {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  readonly nth: number;
};

export type Case = {
  readonly name: string;
  readonly scene: SceneKind;
  readonly point: Point;
  readonly fault: Fault;
  /** Whether the process dies of it. */
  readonly kills: boolean;
};

export type Fault = {
  readonly name: string;
  readonly rule: Omit<FaultRule, "method" | "path" | "skip">;
  /** It stays so for whatever is asked from then on, until the run is over. */
  readonly lasts?: FaultRule;
};

const far = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2114380800" };
const down: FaultRule = { path: /./, network: "reset", times: 1e9 };
const dead: FaultRule = { path: /./, status: 401, body: { message: "Bad credentials" }, times: 1e9 };
const spent: FaultRule = {
  ...{ path: /./, status: 403, body: { message: "API rate limit exceeded" } },
  ...{ headers: far, times: 1e9 },
};
const secondary = { message: "You have exceeded a secondary rate limit. Please wait." };

export const faults: readonly Fault[] = [
  { name: "cut before", rule: { network: "reset" } },
  { name: "applied, then cut", rule: { network: "reset", after: true } },
  { name: "applied, half an answer", rule: { network: "cut" } },
  { name: "500", rule: { status: 500 } },
  { name: "502", rule: { status: 502 } },
  { name: "applied, then 502", rule: { status: 502, after: true } },
  { name: "503 page", rule: { status: 503, body: "<html>unicorn</html>" } },
  { name: "200 page", rule: { status: 200, body: "<html>unicorn</html>" } },
  { name: "403 secondary", rule: { status: 403, body: secondary, headers: { "retry-after": "5" } } },
  { name: "429", rule: { status: 429, body: { message: "Too many requests" } } },
  { name: "401", rule: { status: 401, body: { message: "Bad credentials" } } },
  { name: "422", rule: { status: 422, body: { message: "Validation Failed" } } },
  { name: "409 rule", rule: { status: 409, body: { message: "GH013: Repository rule violations found" } } },
  { name: "token dies", rule: { status: 401, body: { message: "Bad credentials" } }, lasts: dead },
  { name: "limit used up", rule: { status: 403, body: spent.body, headers: far }, lasts: spent },
  { name: "goes down", rule: { network: "reset" }, lasts: down },
  { name: "applied, then down", rule: { network: "reset", after: true }, lasts: down },
];
const deadly = ["cut before", "applied, then cut"];

/** The writes among the exchanges of a delivery. */
export function pointsOf(exchanges: readonly Exchange[]): readonly Point[] {
  const seen = new Map<string, number>();
  return exchanges
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => {
      const form = path
        .replace(/\?.*$/, "")
        .replace(/^\/repos\/[^/]+\/[^/]+/, "")
        .replace(/\/s[0-9a-f]{12}|%2Fs[0-9a-f]{12}/g, "/SESSION")
        .replace(/\d{1,20}/g, "N");
      const kind = `${method} ${form}`;
      const nth = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, nth);
      return { name: `${kind} #${nth}`, method, path: patternOf(form), nth };
    });
}

function patternOf(form: string): RegExp {
  const escaped = form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = escaped.replaceAll("/SESSION", "(?:/|%2F)s[0-9a-f]{12}").replaceAll("N", "\\d+");
  return new RegExp(`${pattern}(?:\\?.*)?$`);
}

export function casesAt(scene: SceneKind, points: readonly Point[]): readonly Case[] {
  return points.flatMap((point) =>
    faults.flatMap((fault) => {
      const killed = deadly.includes(fault.name) ? [false, true] : [false];
      return killed.map((kills): Case => {
        const name = `${scene}: ${point.name}: ${fault.name}${kills ? ", and the process dies" : ""}`;
        return { name, scene, point, fault, kills };
      });
    }),
  );
}
