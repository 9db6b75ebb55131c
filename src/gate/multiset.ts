/** The texts of `all` that `taken` does not have, as often as they are more. */
export function without(all: readonly string[], taken: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const text of taken) left.set(text, (left.get(text) ?? 0) + 1);
  return all.filter((text) => !take(left, text));
}

/** Takes one of a text out of the pool, and says whether there was one. */
export function take(pool: Map<string, number>, text: string): boolean {
  const count = pool.get(text) ?? 0;
  if (count > 0) pool.set(text, count - 1);
  return count > 0;
}
