import { describe, expect, it } from "vitest";
import { parseBaseUrl } from "../../../src/adapters/anthropic/base-url.ts";

describe("the base URL", () => {
  it.each([
    [null, "https://api.anthropic.com"],
    ["", "https://api.anthropic.com"],
    ["https://gateway.example/anthropic/", "https://gateway.example/anthropic"],
    ["https://gateway.example/v1", "https://gateway.example"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:8080", "http://localhost:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
  ])("%s is %s", (text, url) => {
    expect(parseBaseUrl(text)).toMatchObject({ kind: "url", url });
  });

  it.each([
    "not a url",
    "http://gateway.example",
    "http://127.0.0.1.example",
    "http://127.example",
    "ftp://127.0.0.1",
    "https://user:secret@gateway.example",
    "https://gateway.example/?key=1",
    "https://gateway.example/#x",
  ])("%s is refused, without being repeated where it may hold a secret", (text) => {
    const parsed = parseBaseUrl(text);
    expect(parsed.kind).toBe("refused");
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});
