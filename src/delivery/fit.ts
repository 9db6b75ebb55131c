/** GitHub's limit for a comment and for a pull request's body. */
const bodyCharactersMax = 65_536;
const steps = [20_000, 10_000, 5000, 2000, 500, 0];

/**
 * A body within GitHub's limit: `render` is given less and less room for untrusted text until it fits. Neutral text
 * can be several times as long as what it was made from, so this cannot be known before.
 */
export function fitBody(render: (untrustedMax: number) => string): string {
  for (const max of steps) {
    const body = render(max);
    if (body.length <= bodyCharactersMax) return body;
  }
  throw new Error("a body without its untrusted text is still longer than GitHub takes");
}
