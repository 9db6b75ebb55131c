import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/masking.ts";

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

  it("leaves nothing of the longer one of two secrets that begin alike", () => {
    expect(maskOf(["secret-one", "secret-one-and-more"])("x secret-one-and-more y secret-one z")).toBe(
      "x *** y *** z",
    );
  });

  it("does not blank out ordinary text for a secret that is too short", () => {
    expect(maskOf(["abc"])("abc")).toBe("abc");
  });
});
