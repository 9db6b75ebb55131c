/** GitHub takes one more for a comment and a pull request, and just as many for a check run. */
const bodyCharactersMax = 65_535;
const steps = [20_000, 10_000, 5000, 2000, 500, 0];

/**
 * A body within GitHub's limit: `render` is given less and less room for untrusted text until it fits. Neutral text
 * can be several times as long as what it was made from, so this cannot be known before. Where names and lists alone
 * are too long the body is cut after one of its lines, and says so.
 */
export function fitBody(render: (untrustedMax: number) => string): string {
  let body = "";
  for (const max of steps) {
    body = render(max);
    if (body.length <= bodyCharactersMax) return body;
  }
  return cutBody(body);
}

const cutNote = "\n\n**The rest is left out here:** GitHub takes no longer text.\n";

function cutBody(body: string): string {
  // The longest fence that can be open at the end has to fit too.
  const head = body.slice(0, bodyCharactersMax - cutNote.length - 200);
  const whole = head.slice(0, Math.max(0, head.lastIndexOf("\n")));
  const fence = openFence(whole);
  return `${whole}${fence === null ? "" : `\n${fence}`}${cutNote}`;
}

/** What closes the block of code that the text ends in, or null. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const [mark] = /^`{3,100}/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (open === null) open = mark;
    else if (mark.length >= open.length && line.trim() === mark) open = null;
  }
  return open;
}
