import { allowedAccount } from "../command/authorise.ts";
import type { Means } from "./means.ts";
import type { Overheard } from "./overheard.ts";

/** Accounts that are looked up at once. Who comes after them is looked up the next time. */
const accountsMax = 20;

/**
 * Keeps what was said by accounts that may give commands. A comment is judged when it is first of use, and once; where
 * GitHub does not answer nobody is let in, and nobody shut out for good.
 */
export function judgeSpeakers(
  { permissions, orders, say }: Pick<Means, "permissions" | "orders" | "say">,
  signal: AbortSignal,
): (found: readonly Overheard[]) => Promise<readonly Overheard[]> {
  const { allowedBots } = orders;
  const verdicts = new Map<number, boolean>();
  const toldOf = new Set<number>();
  const lookUp = async (author: Overheard["author"]): Promise<boolean | null> => {
    const allowed = await allowedAccount(author, permissions, { allowedBots, signal });
    if (allowed.kind === "actor") return true;
    if (allowed.code !== "permission-unknown") return false;
    if (!toldOf.has(author.id)) say(`What ${author.login} wrote waits: ${allowed.why}`);
    toldOf.add(author.id);
    return null;
  };
  return async (found) => {
    const now = new Map<number, boolean | null>();
    for (const { id, author } of found.filter((one) => !verdicts.has(one.id))) {
      if (!now.has(author.id) && now.size >= accountsMax) continue;
      const may = now.get(author.id) ?? (await lookUp(author));
      now.set(author.id, may);
      if (may !== null) verdicts.set(id, may);
    }
    return found.filter(({ id }) => verdicts.get(id) === true);
  };
}
