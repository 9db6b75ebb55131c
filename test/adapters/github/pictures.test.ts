import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachmentAddresses, signedIn } from "../../../src/adapters/github/attachment-address.ts";
import { githubPictures } from "../../../src/adapters/github/pictures.ts";
import type { TextPlace } from "../../../src/command/pictures.ts";
import { png } from "../../kit/pictures.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

const id = "01234567-89ab-cdef-0123-456789abcdef";
const onGitHub = attachmentAddresses({ serverUrl: "https://github.com", apiUrl: "https://api.github.com" });
const elsewhere = attachmentAddresses({ serverUrl: "https://ghe.x", apiUrl: "https://ghe.x/api/v3" });

describe("an address in a text", () => {
  it.each([
    ["what is uploaded today", `https://github.com/user-attachments/assets/${id}`, id],
    [
      "what was uploaded to a private repository",
      `https://github.com/octo/demo/assets/12/${id.toUpperCase()}`,
      id,
    ],
    ["what was uploaded long ago", "https://user-images.githubusercontent.com/1/2-x.png", null],
    ["what GitHub has signed", `https://private-user-images.githubusercontent.com/1/2-${id}.png?jwt=old`, id],
  ])("names a picture that is kept by GitHub: %s", (_, address, known) => {
    expect(onGitHub.read(address)).toEqual({ url: new URL(address), id: known });
    expect(elsewhere.read(address)).toBeNull();
  });

  it.each([
    `http://github.com/user-attachments/assets/${id}`,
    `https://github.com:8443/user-attachments/assets/${id}`,
    `https://github.com.evil.x/user-attachments/assets/${id}`,
    `https://user@github.com/user-attachments/assets/${id}`,
    `https://github.com/user-attachments/assets/${id}/../../../octo/demo`,
    `https://github.com/user-attachments/assets/..%2f${id}`,
    `https://github.com/user-attachments/files/1/a.png`,
    "https://github.com/octo/demo/raw/main/a.png",
    "https://raw.githubusercontent.com/octo/demo/main/a.png",
    "https://private-user-images.githubusercontent.com/a.png",
    "https://x.user-images.githubusercontent.com/1/a.png",
    "https://github-production-user-asset-6210df.s3.amazonaws.com/1/a.png",
    "http://169.254.169.254/latest/meta-data",
    "https://localhost/user-attachments/assets/x",
    "file:///etc/passwd",
    "no address",
  ])("names none: %s", (address) => {
    expect(onGitHub.read(address)).toBeNull();
  });

  it("of another GitHub is one of its own", () => {
    const address = `https://ghe.x/user-attachments/assets/${id}`;
    expect(elsewhere.read(address)).toEqual({ url: new URL(address), id });
    expect(onGitHub.read(address)).toBeNull();
  });
});

describe("where a redirect may lead to", () => {
  it.each([
    ["https://private-user-images.githubusercontent.com/1/2.png?jwt=x", true],
    ["https://github-production-user-asset-6210df.s3.amazonaws.com/1/2?X-Amz-Signature=x", true],
    ["https://github-production-user-asset-6210df.s3.amazonaws.com.evil.x/1", false],
    ["https://evil.s3.amazonaws.com/github-production-user-asset-6210df", false],
    ["http://private-user-images.githubusercontent.com/1/2.png", false],
    ["https://private-user-images.githubusercontent.com:444/1/2.png", false],
    ["https://a:b@private-user-images.githubusercontent.com/1/2.png", false],
    ["https://github.com/octo/demo", false],
    ["https://api.github.com/user", false],
  ])("%s: %s", (address, allowed) => {
    expect(onGitHub.isStorage(new URL(address))).toBe(allowed);
  });
});

it("takes the addresses that GitHub has signed, and no others, from what it makes of a text", () => {
  const signed = `https://private-user-images.githubusercontent.com/1/2-${id}.png?jwt=a`;
  const html = [
    `<a href="https://evil.x/1/2-${id}.png"><img src="https://evil.x/1/2-${id}.png?jwt=b"></a>`,
    `<code>src="https://private-user-images.githubusercontent.com/1/2-no-id.png"</code>`,
    `<img alt="x" src="${signed}&amp;b=1"><img src="${signed}&amp;c=2">`,
  ].join("\n");
  expect([...signedIn(html, onGitHub)]).toEqual([[id, new URL(`${signed}&b=1`)]]);
});

describe("pictures of a GitHub", () => {
  let world: GitHubWorld;
  const outside: string[] = [];
  const other = createServer((request, response) => {
    outside.push(request.url ?? "");
    response.end(png());
  });
  beforeAll(async () => {
    world = await githubWorld();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    other.close();
    await world[Symbol.asyncDispose]();
  });

  const bytesMax = 100_000;
  const uploaded = (file: Buffer) =>
    world.github.upload(file).replace(world.github.serverUrl, world.github.url);
  const fetchAll = (urls: readonly string[], place: TextPlace | null = null) =>
    githubPictures(world.place, { serverUrl: world.github.url }).fetch(urls, {
      place,
      bytesMax,
      signal: new AbortController().signal,
    });
  const away = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const sent = (from: number) =>
    world.github.exchanges
      .slice(from)
      .map(({ method, path, via, authorized }) => ({ method, path, via, authorized }));

  it("are fetched as everybody may, without the token, and in the order they were asked for", async () => {
    const files = [png({ width: 3 }), png({ width: 4 })];
    const before = world.github.exchanges.length;
    const [first, second] = await fetchAll(files.map(uploaded));
    expect([first, second]).toEqual(files.map((bytes) => ({ kind: "bytes", bytes })));
    expect(sent(before).map(({ via, authorized }) => `${via} ${authorized}`)).toEqual(
      Array(4).fill("attachment false"),
    );
  });

  it.each(["thread", "comment"] as const)("are fetched as GitHub signs them for a %s", async (kind) => {
    const file = png({ width: 5 });
    const body = `![x](${uploaded(file)})`;
    const { number } = world.github.createIssue({ title: "See", body, by: "read" });
    const comment = world.github.comment({ issue: number, body, by: "read" });
    const place: TextPlace = kind === "thread" ? { kind, number } : { kind, id: comment.id };
    const before = world.github.exchanges.length;
    expect(await fetchAll([body.slice(5, -1)], place)).toEqual([{ kind: "bytes", bytes: file }]);
    const [api, storage, ...more] = sent(before);
    expect(api).toMatchObject({ via: "rest", authorized: true });
    expect(storage).toMatchObject({
      via: "attachment",
      authorized: false,
      path: expect.stringMatching(/^\/1\/2-.*jwt=/),
    });
    expect(more).toEqual([]);
    expect(world.github.problems()).toEqual([]);
  });

  it("are fetched as everybody may where the API does not answer", async () => {
    const file = png({ width: 6 });
    const { number } = world.github.createIssue({ title: "See", by: "read" });
    world.github.fail({ path: /\/issues\/\d+$/, status: 404, times: 1 });
    expect(await fetchAll([uploaded(file)], { kind: "thread", number })).toEqual([
      { kind: "bytes", bytes: file },
    ]);
  });

  it.each<[string, Parameters<GitHubWorld["github"]["fail"]>[0] | null, string]>([
    ["that are not there", { path: /assets/, status: 404 }, "GitHub answered 404"],
    ["that are too large", null, "it is larger than 100000 bytes"],
    ["of an answer that breaks off", { path: /^\/1\/2-/, network: "cut" }, "it did not come whole"],
    ["of a connection that breaks", { path: /assets/, network: "reset" }, "it did not come whole"],
    ["that lead nowhere", { path: /assets/, status: 302 }, "GitHub answered 302"],
    [
      "that lead in a circle",
      { path: /./, times: 9, status: 302, headers: { location: "/again" } },
      "GitHub sent us on too often",
    ],
  ])("do not come where they are ones %s, which is said", async (_, fault, why) => {
    const url = uploaded(png({ text: fault === null ? "x".repeat(bytesMax) : "" }));
    const faults = fault === null ? 0 : (fault.times ?? 1);
    if (fault !== null) world.github.fail({ times: 1, ...fault });
    expect(await fetchAll([url])).toEqual([{ kind: "none", why }]);
    // What a rule did not strike it would strike in the next test.
    for (let left = faults - 4; left > 0; left -= 1)
      await fetch(`${world.github.url}/again`, { redirect: "manual" });
  });

  it("are never asked for at another address, neither named by a text nor by a redirect", async () => {
    const leads = uploaded(png());
    world.github.fail({ path: /assets/, times: 1, status: 302, headers: { location: `${away()}/a.png` } });
    const why = ["it is not stored on GitHub", "GitHub sent us to an address that is not its own"];
    const urls = [`${away()}/user-attachments/assets/${id}`, leads];
    expect(await fetchAll(urls)).toEqual(why.map((one) => ({ kind: "none", why: one })));
    expect(outside).toEqual([]);
  });
});
