/** Something that looks like a credential: what kind, where it begins in the text, and the thing itself. */
export type Secret = { readonly kind: string; readonly index: number; readonly text: string };

type Rule = {
  /** With its article: it stands in sentences. */
  readonly kind: string;
  /** The text is searched only where it holds one of these, in lower case. */
  readonly hints: readonly string[];
  /** Group `value`, where there is one, is the secret; else the whole match is. Every quantifier is bounded. */
  readonly pattern: RegExp;
  /** Besides not being made up: what a real one fulfils. */
  readonly isReal?: (value: string) => boolean;
};

const end = "(?![A-Za-z0-9_-])";

/**
 * Formats that their issuers publish, by prefix and length, so that ordinary code does not match. The last two know
 * only the name that stands before a value, and ask for a value that looks drawn by lot.
 */
const rules: readonly Rule[] = [
  rule("a private key", ["private key"], privateKey()),
  rule("a GitHub token", ["gh"], `\\bgh[pousr]_[A-Za-z0-9]{36,255}${end}`),
  rule("a GitHub token", ["github_pat_"], `\\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}${end}`),
  rule("a GitLab token", ["glpat-"], `\\bglpat-[A-Za-z0-9_-]{20,200}${end}`),
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
  rule("a Stripe key", ["_live_"], `\\b(?:sk|rk)_live_[A-Za-z0-9]{24,247}${end}`),
  rule("a Stripe webhook secret", ["whsec_"], `\\bwhsec_[A-Za-z0-9]{32,64}${end}`),
  rule("an npm token", ["npm_"], `\\bnpm_[A-Za-z0-9]{36}${end}`),
  rule("a PyPI token", ["pypi-ag"], `\\bpypi-Ag[A-Za-z0-9_-]{70,250}${end}`),
  rule("an Anthropic key", ["sk-ant-"], `\\bsk-ant-[a-z]{3,8}\\d{2}-[A-Za-z0-9_-]{80,200}${end}`),
  rule(
    "an OpenAI key",
    ["t3blbkfj"],
    `\\bsk-(?:[a-z]{3,10}-)?[A-Za-z0-9_-]{20,90}T3BlbkFJ[A-Za-z0-9_-]{20,90}${end}`,
  ),
  rule("a Hugging Face token", ["hf_"], `\\bhf_[A-Za-z]{34}${end}`),
  rule("a SendGrid key", ["sg."], `\\bSG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}${end}`),
  rule("a DigitalOcean token", ["_v1_"], `\\bdo[opr]_v1_[a-f0-9]{64}${end}`),
  rule("a Docker token", ["dckr_pat_"], `\\bdckr_pat_[A-Za-z0-9_-]{27}${end}`),
  rule("a Shopify token", ["shp"], `\\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}${end}`),
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
  const found = rules.flatMap((one) =>
    one.hints.some((hint) => lower.includes(hint)) ? matches(one, text) : [],
  );
  // The sort is stable, so at one place the more exact rule names it.
  const inOrder = found.sort((a, b) => a.index - b.index);
  let from = 0;
  return inOrder.filter(({ index, text: { length } }) => {
    if (index < from) return false;
    from = index + length;
    return true;
  });
}

/** Text of which nothing that looks like a credential is left; each place says what stood there. */
export function withoutSecrets(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { kind, index, text: secret } of secretsIn(text)) {
    parts.push(text.slice(from, index), `(taken out: ${kind})`);
    from = index + secret.length;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from);
}

function matches({ kind, pattern, isReal }: Rule, text: string): readonly Secret[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups?.["value"] ?? match[0];
    if (isMadeUp(value) || isReal?.(value) === false) return [];
    return [{ kind, index: match.index + match[0].lastIndexOf(value), text: value }];
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

const madeUpWords =
  /example|placeholder|your|dummy|fake|sample|redacted|changeme|change_me|insert|notreal|not-a-real|x{4}|\*{4}|\.{4}/i;

/** Keys that open nothing, since everybody knows them: that of the emulator of Azure's storage. */
const known = /^Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1/;

/** As people write it in tests and documents: it says so, repeats itself or counts up. */
function isMadeUp(value: string): boolean {
  if (known.test(value)) return true;
  return madeUpWords.test(value) || /(.)\1{5}/.test(value) || countsUp(value) || new Set(value).size < 8;
}

const countedMin = 8;

function countsUp(value: string): boolean {
  let run = 1;
  for (let at = 1; at < value.length; at++) {
    const [before, now] = [value.charCodeAt(at - 1), value.charCodeAt(at)];
    const follows = now === before + 1 || (value[at - 1] === "9" && value[at] === "0");
    run = follows ? run + 1 : 1;
    if (run >= countedMin) return true;
  }
  return false;
}

/** Bits a character; words and identifiers of that length stay below, random text above. */
const entropyMin = 3.8;

/** Letters of both cases and digits, and no order among them. */
function looksDrawn(value: string): boolean {
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false;
  // A path, a version or a name of several words is written by somebody.
  if (/^[./]|\.[a-z]{2,5}$/.test(value) || /(?:[A-Za-z]{4,}[-_./]){3}/.test(value)) return false;
  return entropyOf(value) >= Math.min(entropyMin, Math.log2(value.length) - 0.8);
}

function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
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
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
