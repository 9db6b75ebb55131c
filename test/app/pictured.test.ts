import { describe, expect, it } from "vitest";
import { memoryHost } from "../../src/adapters/memory/host.ts";
import { memoryPermissions } from "../../src/adapters/memory/permissions.ts";
import { memoryPictures } from "../../src/adapters/memory/pictures.ts";
import { openEars } from "../../src/app/ears.ts";
import { removedNote } from "../../src/app/pictured.ts";
import { initialState } from "../../src/session/state.ts";
import { identity } from "../kit/given.ts";
import { heldClock } from "../kit/held-clock.ts";
import { gif } from "../kit/pictures.ts";
import { givenStage, startProcess, thread } from "../kit/story/stage.ts";

const address = (name: string) => `https://host.x/${name}`;
const data = gif().toString("base64");

/** What a run hears at its end of these comments, while its messages hold so many pictures. */
async function heardWith(count: number, bodies: readonly string[]) {
  const stage = givenStage();
  const { means } = startProcess(stage);
  bodies.forEach((body, i) => {
    stage.github.comments.push({ id: 600 + i, thread, author: "octo", body, at: 6000 });
  });
  const files = Object.fromEntries("ab".split("").map((name) => [address(name), gif()]));
  using ears = openEars(identity({ thread: { kind: "issue", number: thread } }), {
    means: {
      ...means,
      clock: heldClock(),
      permissions: memoryPermissions({ octo: "write" }),
      earshot: { since: 5000, comment: null },
      host: memoryHost(stage.github),
      pictures: memoryPictures(files),
    },
    state: () => ({ ...initialState, since: 5000 }),
    held: () => ({ count, characters: count * data.length }),
  });
  return await ears.heard("end");
}

describe("the pictures of what is said while a run works", () => {
  it("come with it, as far as the messages have room for them all", async () => {
    const bodies = ["@baton see", "and"].map((words, i) => `${words} ![x](${address("ab"[i] ?? "")})`);
    const image = { mediaType: "image/gif", data };
    const [both, one] = [await heardWith(18, bodies), await heardWith(19, bodies)];
    expect(both.map(({ images }) => images)).toEqual([[image], [image]]);
    expect(both.map(({ text }) => text)).toEqual(Array(2).fill(expect.stringContaining("[image 1: x]")));
    expect(one.map(({ images }) => images)).toEqual([[image], undefined]);
    expect(one[1]?.text).toContain("[an image is left out here (there are more than 0): x]");
  });
});

describe("the note on what the model is not told", () => {
  const nothing = { comments: 0, invisible: 0, cutBytes: 0, images: 0 };
  const hint = " The input `images` can allow those uploaded to GitHub.";

  it.each([
    ["says nothing of nothing", nothing, true, []],
    [
      "counts what there is",
      { ...nothing, comments: 1, cutBytes: 2 },
      true,
      ["1 hidden comment, 2 bytes over the limit."],
    ],
    [
      "names the input that shows pictures",
      { ...nothing, invisible: 2, images: 1 },
      true,
      [`2 invisible characters, 1 image.${hint}`],
    ],
    ["does not name it where it would not help", { ...nothing, images: 2 }, false, ["2 images."]],
  ])("%s", (_, removed, allowable, parts) => {
    const notes = parts.map((part) => `Left out of what the model was told: ${part}`);
    expect(removedNote(removed, { allowable })).toEqual(notes);
  });
});
