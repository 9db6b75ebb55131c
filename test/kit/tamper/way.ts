import { type Base, bases, type Files } from "./bases.ts";

/** One attempt, as the files that it writes; null deletes one. */
export type Attempt = {
  readonly name: string;
  readonly on: Base;
  readonly change: Readonly<Record<string, string | null>>;
};

/** A file of the base with a part replaced, which has to stand in it. */
export function edit(
  on: Base,
  path: string,
  from: string | RegExp,
  to: string,
): Readonly<Record<string, string>> {
  const files: Files = bases[on];
  const text = files[path];
  if (text === undefined) throw new Error(`${on} has no ${path}`);
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${path} of ${on} does not have ${from}`);
  return { [path]: changed };
}

/** A file that goes to another path as it is. */
export function move(on: Base, from: string, to: string): Attempt["change"] {
  const files: Files = bases[on];
  return { [from]: null, [to]: files[from] ?? "" };
}
