import { isObject } from "../../base/json.ts";
import { isMadeUp, isMadeUpKey, looksDrawn } from "./drawn.ts";
import { publishedIn, type Secret } from "./published-rules.ts";

type Rule = {
  /** With its article: it stands in sentences. */
  readonly kind: string;
  /** The text is searched only where it holds one of these, in lower case. */
  readonly hints: readonly string[];
  /** Group `value`, where there is one, is the secret; else the whole match is. Every quantifier is bounded. */
  readonly pattern: RegExp;
  /** Besides not being made up: what a real one fulfils. */
  readonly isReal?: (value: string) => boolean;
  /** Where what is made up looks otherwise than elsewhere. */
  readonly isMadeUp?: (value: string) => boolean;
};

const end = "(?![A-Za-z0-9_-])";

/**
 * What secretlint has no rule for, or one that finds less (docs/gate.md). Formats that their issuers publish, by prefix
 * and length, so that ordinary code does not match. The last two know only the name that stands before a value, and ask
 * for a value that looks drawn by lot.
 */
export const ownRules: readonly Rule[] = [
  { ...rule("a private key", ["private key"], privateKey()), isMadeUp: isMadeUpKey },
  rule("an AWS access key", ["akia", "asia"], `\\b(?:AKIA|ASIA)[A-Z2-7]{16}${end}`),
  rule(
    "an AWS secret key",
    ["secret"],
    /aws.{0,20}?secret.{0,20}?["'\s:=]{1,8}(?<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    looksDrawn,
  ),
  rule("a Google API key", ["aiza"], `\\bAIza[A-Za-z0-9_-]{35}${end}`),
  rule("a Google client secret", ["gocspx-"], `\\bGOCSPX-[A-Za-z0-9_-]{28}${end}`),
  rule("an Azure storage key", ["accountkey"], /AccountKey=(?<value>[A-Za-z0-9+/]{86}==)/gi),
  rule(
    "an Azure client secret",
    ["q~"],
    /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/g,
  ),
  rule(
    "a Slack token",
    ["xox"],
    `\\bxox[abeoprs](?:\\.xox[bp])?-(?:\\d{1,13}-){1,3}[A-Za-z0-9-]{16,200}${end}`,
  ),
  rule("a Slack token", ["xapp-"], `\\bxapp-\\d-[A-Z0-9]{8,16}-\\d{8,16}-[a-f0-9]{64}${end}`),
  rule(
    "a Slack webhook",
    ["hooks.slack.com"],
    /hooks\.slack\.com\/services\/T[A-Z0-9]{7,12}\/B[A-Z0-9]{7,12}\/[A-Za-z0-9]{24}(?![A-Za-z0-9])/g,
  ),
  rule("a Stripe webhook secret", ["whsec_"], `\\bwhsec_[A-Za-z0-9]{32,64}${end}`),
  rule("a PyPI token", ["pypi-ag"], `\\bpypi-Ag[A-Za-z0-9_-]{70,250}${end}`),
  rule("an Anthropic key", ["sk-ant-"], `\\bsk-ant-[a-z]{3,8}\\d{2}-[A-Za-z0-9_-]{80,200}${end}`),
  rule("a SendGrid key", ["sg."], `\\bSG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}${end}`),
  rule("a DigitalOcean token", ["_v1_"], `\\bdo[opr]_v1_[a-f0-9]{64}${end}`),
  rule(
    "a JSON web token",
    ["eyj"],
    `\\beyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{20,1000}${end}`,
    isSignedToken,
  ),
  rule(
    "a password in an address",
    ["://"],
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>]{1,80}:(?<value>[A-Za-z0-9_~.+%-]{12,200})@/gi,
    looksDrawn,
  ),
  rule(
    "a value that looks like a secret",
    ["secret", "token", "passw", "api", "access", "auth"],
    /(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|auth[_-]?key)["'\]]{0,2}[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}["'`](?<value>[A-Za-z0-9+/=_~.-]{24,400})["'`]/gi,
    looksDrawn,
  ),
  rule(
    "a value that looks like a secret",
    ["secret", "token", "passw", "api_key", "access_key"],
    /^[ \t]{0,8}(?:export[ \t]{1,4})?[A-Z0-9_]{0,60}(?:SECRET|TOKEN|PASSWORD|API_KEY|ACCESS_KEY)=(?<value>[A-Za-z0-9+/=_~.-]{24,400})[ \t]{0,8}$/gm,
    looksDrawn,
  ),
];

/** What in the text looks like a credential, in order, without overlaps. What is plainly made up is none. */
export function secretsIn(text: string): readonly Secret[] {
  const lower = text.toLowerCase();
  const own = ownRules.flatMap((one) =>
    one.hints.some((hint) => lower.includes(hint)) ? matches(one, text) : [],
  );
  const whole: Secret[] = [];
  // The sort is stable, so at one place the more exact rule names it.
  for (const one of [...publishedIn(text), ...own].sort((a, b) => a.index - b.index)) {
    const last = whole.at(-1);
    const from = last === undefined ? 0 : endOf(last);
    if (last === undefined || one.index >= from) whole.push(one);
    // Two rules that know one thing by different parts of it: all of it is the secret.
    else if (endOf(one) > from) whole.splice(-1, 1, { ...last, text: text.slice(last.index, endOf(one)) });
  }
  return whole;
}

function endOf({ index, text }: Secret): number {
  return index + text.length;
}

/** Text of which nothing that looks like a credential is left; each place says what stood there. */
export function withoutSecrets(text: string): string {
  return takeOut(text).text;
}

/** The same, with the number of these places. */
export function takeOut(text: string): { readonly text: string; readonly places: number } {
  const parts: string[] = [];
  let from = 0;
  const secrets = secretsIn(text);
  for (const { kind, index, text: secret } of secrets) {
    parts.push(text.slice(from, index), `(taken out: ${kind})`);
    from = index + secret.length;
  }
  return { text: parts.join("") + text.slice(from), places: secrets.length };
}

function matches(rule: Rule, text: string): readonly Secret[] {
  const isNone = rule.isMadeUp ?? isMadeUp;
  return [...text.matchAll(rule.pattern)].flatMap((match) => {
    const value = match.groups?.["value"] ?? match[0];
    if (isNone(value) || rule.isReal?.(value) === false) return [];
    return [{ kind: rule.kind, index: match.index + match[0].lastIndexOf(value), text: value }];
  });
}

function rule(
  kind: string,
  hints: readonly string[],
  pattern: RegExp | string,
  isReal?: (value: string) => boolean,
): Rule {
  const compiled = typeof pattern === "string" ? new RegExp(pattern, "g") : pattern;
  return { kind, hints, pattern: compiled, ...(isReal && { isReal }) };
}

/** The first lines are enough to know one by; they may be written with `\n`, as in a service account's JSON. */
function privateKey(): RegExp {
  const line = "[A-Za-z0-9+/=,:. \\t-]{0,200}";
  const break_ = "(?:\\r?\\n|\\\\r?\\\\n|\\\\n)";
  const body = `(?:${line}${break_}){0,4}[ \\t]{0,40}[A-Za-z0-9+/=]{40,4000}`;
  const rest = `(?:${break_}[ \\t]{0,40}[A-Za-z0-9+/=]{1,200}){0,400}`;
  return new RegExp(
    `-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[ \\t]{0,8}${break_}${body}${rest}`,
    "g",
  );
}

/** Its header names an algorithm. One about the subject that the standard's own example is about is an example. */
function isSignedToken(value: string): boolean {
  const [header, payload] = value.split(".").map(decoded);
  const algorithm = header?.["alg"];
  return typeof algorithm === "string" && algorithm !== "none" && payload?.["sub"] !== "1234567890";
}

function decoded(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
