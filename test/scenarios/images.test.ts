import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { gif, png } from "../kit/pictures.ts";
import { commentPayload, givenWorld, type World } from "../kit/world.ts";

type Content = readonly { readonly type: string; readonly text?: string; readonly source?: unknown }[];

function toldFirst({ model }: World, request = 0): Content {
  return (model.requests[request]?.body.messages[0]?.content ?? []) as Content;
}

const block = (mediaType: string, file: Buffer) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data: file.toString("base64") },
});

const uploads = ({ github }: World) => github.exchanges.filter(({ via }) => via === "attachment");

describe("pictures of an issue", () => {
  it("are left out, counted, and asked for nowhere (T19)", async () => {
    const asked: string[] = [];
    const trap = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end(png());
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    const away = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    await using world = await givenWorld({ script: [say("Nothing to do.")] });
    const body = [
      `![a menu](${away}/a.png) and ![][b]`,
      `<picture><source srcset="${away}/c.webp"><img alt="a page" src="${away}/c.svg"></picture>`,
      `[![d](${away}/d.gif)](${away})`,
      `![e](data:image/png;base64,${png().toString("base64")})`,
      world.github.upload(png()),
      `\n[b]: ${away}/b.png`,
    ].join("\n");
    const event = world.asked({ body });
    await world.finish(event);
    trap.close();
    const [told, ...more] = toldFirst(world);
    expect(more).toEqual([]);
    expect(told?.text?.match(/an image is left out here/g)?.length).toBe(6);
    expect(told?.text).toContain("[an image is left out here: a menu] and [an image is left out here]");
    expect([asked, uploads(world)]).toEqual([[], []]);
    const [status] = world.github.comments(event.issue).slice(-1);
    expect(status?.body).toContain(
      "Left out of what the model was told: 6 images. The input `images` can allow",
    );
    world.model.assertDone();
  });

  it("are shown where the workflow allows it, the same again when the session is resumed", async () => {
    await using world = await givenWorld({
      script: [use("read", { path: "sum.mjs" }), say("Nothing to do.")],
      inputs: { images: "uploads" },
    });
    const [menu, page] = [png({ width: 9 }), gif()];
    const svg = world.github.upload(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
    const body = `![the menu](${world.github.upload(menu)}) ![a drawing](${svg}) ![x](https://example.com/x.png)`;
    const event = world.asked({ body });
    await world.finish(event, { inputs: { "max-turns": "1" } });
    const first = toldFirst(world);
    expect(first.slice(1, 2)).toEqual([block("image/png", menu)]);
    expect(first[0]?.text).toContain(
      "[image 1: the menu] [an image is left out here (it is no PNG, JPEG, GIF or WebP): a drawing] [an image is left out here (it is not stored on GitHub): x]",
    );
    const words = `/agent look here too: ![the page](${world.github.upload(page)})`;
    const { id } = world.github.comment({ issue: event.issue, body: words, by: "maintainer" });
    const payload = commentPayload(world.github, { issue: event.issue, comment: id, by: "maintainer" });
    await world.finish({ payload, inputs: { "max-turns": "30" }, actor: "maintainer" });
    const [, second] = world.model.requests;
    expect(second?.extendsPrevious).toBe(true);
    const added = second?.body.messages.at(-1)?.content as Content;
    expect(added.slice(-2)).toEqual([
      { type: "text", text: expect.stringContaining("look here too: [image 1: the page]") },
      { ...block("image/gif", page), cache_control: expect.anything() },
    ]);
    expect(world.model.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    expect(uploads(world).map(({ authorized, status }) => [authorized, status])).toEqual(
      Array(3).fill([false, 200]),
    );
    expect(world.github.problems()).toEqual([]);
    world.model.assertDone();
  });
});
