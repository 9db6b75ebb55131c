const urlCharactersMax = 7500;
const cutNote = "\n\n(Cut: the link could not hold all of it.)";

/**
 * The page on which a person opens the pull request with one click, title and body filled in as far as a URL can hold.
 * `bodies` are ever shorter ones, of which the first that fits is taken, so that it is not the evidence that is cut.
 */
export function compareLink(options: {
  readonly serverUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly base: string;
  readonly branch: string;
  readonly title: string;
  readonly bodies: readonly [string, ...string[]];
}): string {
  const { serverUrl, owner, repo, base, branch, title, bodies } = options;
  const ref = (name: string) => name.split("/").map(encodeURIComponent).join("/");
  const start = `${serverUrl}/${owner}/${repo}/compare/${ref(base)}...${ref(branch)}`;
  const link = (text: string) => `${start}?expand=1&title=${encoded(title)}&body=${encoded(text)}`;
  const fitting = bodies.map(link).find(({ length }) => length <= urlCharactersMax);
  if (fitting !== undefined) return fitting;
  const body = bodies.at(-1) ?? bodies[0];
  const points = Array.from(body);
  // The longest beginning that fits, found by halving.
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (link(points.slice(0, middle).join("") + cutNote).length <= urlCharactersMax) low = middle;
    else high = middle - 1;
  }
  return link(points.slice(0, low).join("") + cutNote);
}

/** Brackets too, which would end a Markdown link. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[()'*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
