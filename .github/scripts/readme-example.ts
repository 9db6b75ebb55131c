// What a run delivers, as the README shows it: taken from the folder that `npm run demo -- --out <folder>` made.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { between } from "./between.ts";

const examples = ["pull-request", "comment"] as const;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("readme-example.ts takes the folder of a demo");
  const readme = resolve(dirname(fileURLToPath(import.meta.url)), "../../README.md");
  writeFileSync(readme, withExamples(readFileSync(readme, "utf8"), folder));
}

/** The text with both examples between their markers, as the demo left them in `folder`. */
export function withExamples(text: string, folder: string): string {
  return examples.reduce((before, name) => {
    const delivered = shown(readFileSync(join(folder, `${name}.md`), "utf8"));
    return between(
      before,
      `example: ${name}`,
      `\n${delivered.replaceAll(/^/gm, "> ").replaceAll(/^> $/gm, ">")}\n`,
    );
  }, text);
}

/** What of it differs from one demo to the next: times, ids and ports. */
export function shapeOf(text: string): string {
  return text
    .replaceAll(/\b\d+(\.\d+)? (s|ms|min)\b/g, "N s")
    .replaceAll(/\bs[0-9a-f]{12}\b/g, "session")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "sha")
    .replaceAll(/https?:\/\/[\w.:]+/g, "https://host")
    .replaceAll(/\/runs\/\d+/g, "/runs/N");
}

/** Without the lines that nobody sees on the page, and where GitHub itself would be. */
function shown(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->\n?/g, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/http:\/\/github\.localhost(:\d+)?/g, "https://github.com")
    .trim();
}
