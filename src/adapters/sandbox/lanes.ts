/**
 * Lets up to `sharedMax` shared users in at once, or one exclusive one, in the order they came. The loop keeps to
 * this by itself; here it makes sure that nobody can write while anybody reads.
 */
export function lanes(sharedMax: number) {
  const queue: { readonly exclusive: boolean; readonly enter: () => void }[] = [];
  let shared = 0;
  let exclusive = false;

  const mayEnter = (isExclusive: boolean): boolean =>
    !exclusive && (isExclusive ? shared === 0 : shared < sharedMax);

  const admit = (): void => {
    for (let next = queue[0]; next !== undefined && mayEnter(next.exclusive); next = queue[0]) {
      queue.shift();
      if (next.exclusive) exclusive = true;
      else shared += 1;
      next.enter();
    }
  };

  return async function pass<T>(isExclusive: boolean, use: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      queue.push({ exclusive: isExclusive, enter });
      admit();
    });
    try {
      return await use();
    } finally {
      if (isExclusive) exclusive = false;
      else shared -= 1;
      admit();
    }
  };
}
