import type { Answer, No } from "./client.ts";

const pagesMax = 100;

/**
 * Every item of every page, or the first refusal: half a list looks like a whole one. `page` counts from 1.
 * Throws past 100 pages (10,000 items), which nothing of ours reaches.
 */
export async function allPages<T, Item>(
  fetchPage: (page: number) => Promise<Answer<T>>,
  items: (data: T) => readonly Item[],
): Promise<{ readonly kind: "ok"; readonly items: readonly Item[] } | No> {
  const all: Item[] = [];
  for (let page = 1; page <= pagesMax; page++) {
    const answer = await fetchPage(page);
    if (answer.kind === "no") return answer;
    all.push(...items(answer.data));
    if (!answer.more) return { kind: "ok", items: all };
  }
  throw new Error(`a list at GitHub has more than ${pagesMax} pages`);
}
