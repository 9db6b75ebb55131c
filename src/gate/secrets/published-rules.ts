import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { isMadeUp, isMadeUpKey, looksDrawn } from "./drawn.ts";

/** Something that looks like a credential: what kind, where it begins in the text, and the thing itself. */
export type Secret = { readonly kind: string; readonly index: number; readonly text: string };

type Applied = {
  /** With its article: it stands in sentences. */
  readonly kind: string;
  /** Besides what the rule asks of it; a name that begins alike has no digit. */
  readonly isReal?: (value: string) => boolean;
};

/**
 * The rules of secretlint that are applied, by their names there. The others are named, with the reasons, in
 * docs/gate.md: of the formats that ours know too, the ones that find more at less noise are taken.
 */
export const appliedRules: Readonly<Record<string, Applied>> = {
  "1password": { kind: "a 1Password token" },
  cloudflare: { kind: "a Cloudflare token" },
  databricks: { kind: "a Databricks token" },
  docker: { kind: "a Docker token" },
  figma: { kind: "a Figma token" },
  github: { kind: "a GitHub token" },
  gitlab: { kind: "a GitLab token" },
  grafana: { kind: "a Grafana token" },
  groq: { kind: "a Groq key" },
  "hashicorp-vault": { kind: "a Vault token" },
  // Letters alone.
  huggingface: {
    kind: "a Hugging Face token",
    isReal: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value),
  },
  linear: { kind: "a Linear key" },
  notion: { kind: "a Notion token" },
  npm: { kind: "an npm token", isReal: isNpmToken },
  openai: { kind: "an OpenAI key" },
  privatekey: { kind: "a private key", isReal: (value) => !isMadeUpKey(value) },
  shopify: { kind: "a Shopify token" },
  stripe: { kind: "a Stripe key", isReal: (value) => /^[rs]k_live_/.test(value) },
  tailscale: { kind: "a Tailscale key" },
  vercel: { kind: "a Vercel token" },
};

type Rule = (typeof rules)[number];
type Context = Parameters<Rule["create"]>[0];
type Source = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

/**
 * What secretlint's rules find in the text, without what is plainly made up. They are run one after the other here and
 * not by secretlint's core, which is for files: it compares every finding with every other, and a comment in the text
 * can switch it off.
 */
export function publishedIn(text: string): readonly Secret[] {
  const source = sourceOf(text);
  return rules.flatMap((rule) => {
    const applied = appliedRules[nameOf(rule.meta.id)];
    return applied === undefined ? [] : findings(rule, source, applied);
  });
}

export function nameOf(id: string): string {
  return id.replace("@secretlint/secretlint-rule-", "");
}

function findings(rule: Rule, source: Source, { kind, isReal = hasDigit }: Applied): readonly Secret[] {
  const found: Secret[] = [];
  const context: Context = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ message: "", messageId: String(messageId), data }),
    report: ({ message, range }) => {
      const secret = secretAt(source.content, range, message.data);
      const isNone = kind === appliedRules["privatekey"]?.kind ? false : isMadeUp(secret.text);
      if (!isNone && isReal(secret.text)) found.push({ kind, ...secret });
    },
    ignore: () => undefined,
  };
  rule.create(context, {}).file?.(source);
  return found;
}

/** Some rules give the range of more than the secret, or of less: it is what they would say in their message. */
function secretAt(
  text: string,
  [start, end]: readonly [number, number],
  data: unknown,
): { readonly index: number; readonly text: string } {
  const told = typeof data === "object" && data !== null ? Object.values(data) : [];
  for (const value of told.filter((one) => typeof one === "string" && one !== "")) {
    const at = text.slice(start, end + value.length).indexOf(value);
    if (at !== -1) return { index: start + at, text: value };
  }
  return { index: start, text: text.slice(start, end) };
}

/** The rules that are applied read the content alone. */
function sourceOf(content: string): Source {
  const none = (): never => {
    throw new Error("a rule asked for more than the text that it is given");
  };
  return {
    ...{ content, hasBOM: false, contentType: "text", ext: "" },
    // What stands in an .npmrc is looked for in no other file, and it may stand in any.
    ...{ filePath: ".npmrc", getFilePath: () => ".npmrc" },
    ...{ physicalFilePath: undefined, getPhysicalFilePath: () => undefined },
    ...{ locationToRange: none, rangeToLocation: none, positionToIndex: none, indexToPosition: none },
  };
}

function hasDigit(value: string): boolean {
  return /\d/.test(value.replace(/^[a-z0-9]{1,12}[_-]/i, ""));
}

/** What stands after `_authToken=` to the end of the line may be anything. */
function isNpmToken(value: string): boolean {
  if (value.startsWith("npm_")) return hasDigit(value);
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value) || looksDrawn(value);
}
