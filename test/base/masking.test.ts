import { describe, expect, it } from "vitest";
import { strictMask } from "../../src/base/disguises.ts";
import { maskOf } from "../../src/base/masking.ts";
import { partsMask } from "../../src/base/secret-parts.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";

describe("masking", () => {
  // Its characters make every form differ from the others.
  const secret = 'pä"ss/w+rd?>>~~key';
  const bytes = Buffer.from(secret, "utf8");
  it.each([
    ["as it is", secret],
    ["in base64", bytes.toString("base64")],
    ["in base64url", bytes.toString("base64url")],
    ["in hex", bytes.toString("hex")],
    ["URL-encoded", encodeURIComponent(secret)],
    ["inside JSON", JSON.stringify(secret).slice(1, -1)],
    ["as basic auth", Buffer.from(`x-access-token:${secret}`, "utf8").toString("base64")],
  ])("hides a secret %s", (_title, form) => {
    expect(maskOf([secret])(`before ${form} after`)).toBe("before *** after");
  });

  it("hides each line of a secret that has several, where text is shown line by line", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqh\r\nabc=\n-----END KEY-----\n";
    const mask = maskOf([key]);
    expect(mask(key)).toBe("***");
    expect(key.split(/\r?\n/).map((line) => mask(line))).toEqual(["***", "***", "abc=", "***", ""]);
  });

  const key = drawn("sk-ant-api03-", 95);
  const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding);
  it.each([
    ["its beginning", key.slice(0, -7)],
    ["its end", key.slice(7)],
    ["16 characters of it", key.slice(41, 57)],
    ["its end in base64, whatever it begins with", encoded(key.slice(22), "base64")],
    ["a piece in base64url", encoded(key.slice(13, 61), "base64url")],
    ["a piece in hex", encoded(key.slice(20, 33), "hex")],
    ["a piece in capital hex", encoded(key.slice(20, 33), "hex").toUpperCase()],
    ["all of it reversed", Array.from(key).reverse().join("")],
  ])("hides %s, since a part of a key is worth the key", (_title, part) => {
    // The last character of base64 also holds bits of what comes next.
    expect(maskOf([key])(`before [${part}] after`)).toMatch(/^before \[\*\*\*[\w=]{0,3}\] after$/);
  });

  const claims = [
    { alg: "RS256", typ: "JWT" },
    { iss: "https://api.example.com/app", iat: 1_800_000_000 },
  ];
  const open = claims.map((claim) => encoded(JSON.stringify(claim), "base64url")).join(".");
  it.each([
    ["fifteen characters of it", key, key.slice(41, 56)],
    ["in base64 what all keys begin with", key, encoded("sk-ant-api03-example", "base64").slice(0, 18)],
    ["in hex what all keys begin with", key, encoded("sk-ant-api03-", "hex")],
    ["words that a secret of words has too", "correct horse battery staple", "correct horse battery"],
    ["what repeats itself", `a1${"-a1".repeat(30)}`, "a1-a1-a1-a1-a1-a1-a1"],
    ["what a signed token says openly", `ghs_1_${open}.${drawn("", 80)}`, open],
  ])("leaves alone %s", (_title, secret, text) => {
    expect(maskOf([secret])(text)).toBe(text);
    expect(maskOf([secret])(`is ${secret}`)).toBe("is ***");
  });

  it.each([
    ["a line", "\n"],
    ["four spaces", "    "],
  ])("lets nothing out of character codes with %s between them", (_title, between) => {
    const codes = Array.from(Buffer.from(key)).join(between);
    expect(strictMask(maskOf([key]))(`before\n${codes}\nafter`)).toBe("before\n***\nafter");
    const others = Array.from(Buffer.from("no secret at all")).join(between);
    expect(strictMask(maskOf([key]))(others)).toBe(others);
  });

  it("hides the signature of a signed token", () => {
    const signature = drawn("", 80);
    expect(maskOf([`ghs_1_${open}.${signature}`])(`x ${signature} y`)).toBe("x *** y");
  });

  it("looks at each place of a long text a few times and no more, whatever the secrets are", () => {
    // Nearly the secret, again and again: each place is worth a look, and none is long enough.
    const hard = `${key.slice(20, 35)}-`.repeat(20_000);
    let looks = 0;
    const counting = new Proxy(new String(hard), {
      get: (text, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) looks++;
        const value: unknown = Reflect.get(text, name);
        return typeof value === "function" ? value.bind(text) : value;
      },
    });
    partsMask([key])(counting as unknown as string);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(hard.length * 4);
  });

  it("leaves nothing of the longer one of two secrets that begin alike", () => {
    expect(maskOf(["secret-one", "secret-one-and-more"])("x secret-one-and-more y secret-one z")).toBe(
      "x *** y *** z",
    );
  });

  it("does not blank out ordinary text for a secret that is too short", () => {
    expect(maskOf(["abc"])("abc")).toBe("abc");
  });
});
