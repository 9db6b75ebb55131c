import { describe, expect, it } from "vitest";
import { imagesIn, replaceImages } from "../../src/command/images.ts";

const id = "01234567-89ab-cdef-0123-456789abcdef";
const upload = `https://github.com/user-attachments/assets/${id}`;
const old = `https://github.com/octo/demo/assets/12/${id}`;

/** What is written, what stays of it, and the pictures: alternative text and address. */
type Image = readonly [alt: string, url: string | null];
type Row = readonly [form: string, text: string, left: string, image: Image];

const forms: readonly Row[] = [
  ["Markdown", "a ![x](https://e.x/i.png) b", "a # b", ["x", "https://e.x/i.png"]],
  ["Markdown with a title", `![x](https://e.x/i.png "t")`, "#", ["x", "https://e.x/i.png"]],
  ["Markdown with an address in brackets", "![](<https://e.x/a b.png>)", "#", ["", "https://e.x/a b.png"]],
  [
    "Markdown with brackets in it",
    "![a [b] \\] c](https://e.x/(1).png)",
    "#",
    ["a b c", "https://e.x/(1).png"],
  ],
  ["Markdown over two lines", "![a\nb](\nhttps://e.x/i.png)", "#", ["a b", "https://e.x/i.png"]],
  [
    "Markdown in a link",
    `[![x](https://e.x/i.png)](https://e.x)`,
    "[#](https://e.x)",
    ["x", "https://e.x/i.png"],
  ],
  ["a reference", "![x][R 1]\n\n[r  1]: https://e.x/i.png 't'\n", "#\n\n", ["x", "https://e.x/i.png"]],
  ["a reference by its text", "![x][]\n[x]: <https://e.x/i.png>", "#\n", ["x", "https://e.x/i.png"]],
  ["a reference by its text alone", "![x]\n\n[X]: https://e.x/i.png", "#\n\n", ["x", "https://e.x/i.png"]],
  [
    "HTML",
    `<img width="3" alt="it's > x" src='https://e.x/i.png?a=1&amp;b=2' />`,
    "#",
    ["it's > x", "https://e.x/i.png?a=1&b=2"],
  ],
  ["HTML as nobody writes it", "<IMG\nSRC=https://e.x/i.png/>", "#", ["", "https://e.x/i.png/"]],
  ["HTML with no space in it", `<img/src="https://e.x/i.png"alt="x">`, "#", ["x", "https://e.x/i.png"]],
  [
    "HTML with a choice of sources",
    `<picture><source srcset="https://e.x/d.png"><img src="https://e.x/l.png"></picture>`,
    "<picture>#</picture>",
    ["", "https://e.x/l.png"],
  ],
  ["a video", `<video src="https://e.x/v.mp4"></video>`, "#</video>", ["", "https://e.x/v.mp4"]],
  ["a picture in the text itself", "![x](data:image/png;base64,iVBORw0K)", "#", ["x", null]],
  ["a path in the repository", "![x](docs/x.png)", "#", ["x", null]],
  ["an uploaded file alone on a line", `see\n${upload}\n`, "see\n#\n", ["", upload]],
  ["an uploaded file in angles", `<${upload}>.`, "#.", ["", upload]],
  ["an uploaded file as a link", `[shot.png](${upload})`, "#", ["shot.png", upload]],
  ["an uploaded file of a private repository", `![x](${old})`, "#", ["x", old]],
  [
    "a picture in what looks like an indented block",
    "1. a\n\n    ![x](https://e.x/i.png)",
    "1. a\n\n    #",
    ["x", "https://e.x/i.png"],
  ],
  [
    "a picture behind a backtick without its end",
    "a ` ![x](https://e.x/i.png)\n\nb `",
    "a ` #\n\nb `",
    ["x", "https://e.x/i.png"],
  ],
];

const none: readonly (readonly [what: string, text: string])[] = [
  ["code", 'a `![x](i.png)` and ``<img src="` ``'],
  ["fenced code", "```md\n![x](i.png)\n```\nand\n~~~\n<img src=i.png>\n~~~"],
  ["fenced code without an end", "```\n![x](i.png)\n\n[x]: y"],
  ["an escaped mark", "\\![x](i.png)"],
  ["a link", "[x](https://e.x/i.png) [x][y]\n\n[y]: https://e.x/i.png\n[z]: a"],
  ["an address", "https://e.x/i.png"],
  ["a reference to nothing", "![x] ![x][y] ![]"],
  ["half a tag", '<img src="a\n\n">'],
  ["another tag", "<imgs src=a> <images>"],
  ["an uploaded file that is no picture", "https://github.com/user-attachments/files/1/a.zip"],
];

describe("the pictures of a text", () => {
  it.each(forms)("are found as %s", (_, text, left, [alt, url]) => {
    expect(replaceImages(text, () => "#")).toBe(left);
    expect(imagesIn(text)).toEqual([{ alt, url }]);
  });

  it.each(none)("are not seen in %s", (_, text) => {
    expect(replaceImages(text, () => "#")).toBe(text);
  });

  it("are listed once each, in their order", () => {
    const text = `![a](https://e.x/1) ![b](https://e.x/2) <img src="https://e.x/1"> ![c](x) ![d](y)`;
    expect(imagesIn(text).map(({ alt }) => alt)).toEqual(["a", "b", "c", "d"]);
  });

  it("leave the names of other addresses where they were", () => {
    const text = "![x][i] [l]\n\n[i]: https://e.x/i.png\n[l]: https://e.x/l\n\nend\n[m]: https://e.x/m";
    expect(replaceImages(text, () => "#")).toBe("# [l]\n\n[l]: https://e.x/l\n\nend\n[m]: https://e.x/m");
  });

  it("are named in one line, without what could end the note about them", () => {
    const [image] = imagesIn(`![a]\\[b\n"c"${"d".repeat(300)}](x)`);
    expect(image).toBeUndefined();
    expect(imagesIn(`![a\\]\\[b\n"c"${"d".repeat(300)}](x)`)[0]?.alt).toBe(`a b c ${"d".repeat(194)}`);
  });
});
