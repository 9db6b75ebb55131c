/**
 * Rejects with the first failure that nobody waits for, which would otherwise end the process at once: without outputs,
 * without a summary, and without a word to who asked.
 */
export function unwaited(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  process.on("unhandledRejection", reject);
  process.on("uncaughtException", reject);
  return promise;
}
