import path from "node:path";
import { walk } from "./walk.ts";

const namesMax = 20_000;

/** A sentence that names files like the one asked for, or nothing. */
export async function nearestNames(
  root: string,
  asked: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  const { files } = await walk(root, "", { signal });
  const wanted = asked.toLowerCase();
  const base = path.posix.basename(wanted);
  const scored = files
    .slice(0, namesMax)
    .map((name) => {
      const lower = name.toLowerCase();
      const ownBase = path.posix.basename(lower);
      const sameBase = ownBase === base ? 1 : likeness(ownBase, base);
      return { name, score: Math.max(likeness(lower, wanted), sameBase) };
    })
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 5);
  if (scored.length === 0) return "";
  return ` Nearest names: ${scored.map(({ name }) => name).join(", ")}.`;
}

/** How much two texts have in common, 0 to 1: the Dice coefficient of their pairs of neighbouring characters. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  // Texts of very different lengths cannot be much alike; most comparisons end here.
  if (2 * Math.min(one.length, other.length) < 0.4 * (one.length + other.length)) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < one.length; at += 1) {
    const pair = one.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at + 1 < other.length; at += 1) {
    const pair = other.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    common += 1;
  }
  const total = Math.max(0, one.length - 1) + Math.max(0, other.length - 1);
  return total === 0 ? 0 : (2 * common) / total;
}
