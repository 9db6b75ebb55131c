/**
 * What `work` resolves to, or null as soon as the signal aborts: the work then goes on unwatched, and what becomes
 * of it does not matter any more. Rejects as the work does.
 */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const give = () => resolve(null);
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", give);
    // A failure after the abort has nobody to tell.
    work.catch(() => undefined);
  }
}
