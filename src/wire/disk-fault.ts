import { StorageFailure } from "../session/open-journal.ts";

const codes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EFBIG"]);
/** As programs that we run say it, git above all. */
const words = /No space left on device|Disk quota exceeded|Input\/output error|Read-only file system/;

/**
 * What a person is told where the log could not be written, or a disk that is full, broken or read-only is at the
 * bottom of an error; null for any other error.
 */
export function diskFault(error: unknown): string | null {
  const chain = chainOf(error);
  const isLog = chain.some((one) => one instanceof StorageFailure);
  if (!isLog && !chain.some(isDisk)) return null;
  const messages = chain.map(({ message }) => message.trim().replace(/\.$/, ""));
  // One that only repeats the one above it says nothing new.
  const reasons = messages.filter((message, at) => message !== "" && !messages[at - 1]?.includes(message));
  return `${isLog ? "The log could not be written" : "The disk failed"}: ${reasons.join(": ")}.`;
}

function isDisk(error: Error): boolean {
  return codes.has((error as { code?: unknown }).code) || words.test(error.message);
}

/** What failed, why, and why that. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
}
