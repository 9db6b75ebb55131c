import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSha, type Sha } from "../../base/hash.ts";

/**
 * Makes a bare repository, or brings an existing one up to date. Written by hand rather than by `git init`: these
 * few files are all there is to it, and nothing comes from templates.
 */
export function makeRepository(gitDir: string, alternates: readonly string[]): void {
  for (const folder of ["objects/info", "objects/pack", "refs"])
    mkdirSync(join(gitDir, folder), { recursive: true, mode: 0o700 });
  // A branch that never exists: attributes and the like are looked up at HEAD by newer versions of git.
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(gitDir, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  writeFileSync(join(gitDir, "objects/info/alternates"), alternates.map((path) => `${path}\n`).join(""));
}

export function writeRef(gitDir: string, ref: string, id: Sha): void {
  const path = join(gitDir, ref);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `${id}\n`);
}

/** A repository on this machine whose objects can be used. */
export type Lender = {
  readonly objects: string;
  /** Where its history is cut off, as its `shallow` file says; null when it is whole. */
  readonly shallow: Buffer | null;
  readonly head: Sha | null;
};

export type Lending =
  | { readonly kind: "lends"; readonly lender: Lender }
  | { readonly kind: "none"; readonly why: string };

/**
 * What the repository at `path` (a checkout or a bare one) can lend. Only files are read: git is not run in it,
 * so its configuration decides nothing. A partial clone lends nothing, because what it lacks it would fetch.
 */
export function lenderAt(path: string): Lending {
  const gitDir = gitDirOf(path);
  if (gitDir === null) return { kind: "none", why: `${path} is not a git repository` };
  const common = resolve(gitDir, readIfThere(join(gitDir, "commondir"))?.trim() ?? ".");
  const objects = join(common, "objects");
  const config = readIfThere(join(common, "config")) ?? "";
  if (/^\s*objectformat\s*=\s*"?sha256/im.test(config))
    return { kind: "none", why: `${path} uses SHA-256, which is not supported` };
  if (/^\s*(partialclone|promisor)/im.test(config) || hasPromisorPacks(objects))
    return { kind: "none", why: `${path} is a partial clone, which is not supported` };
  if (/[\n"]/.test(objects)) return { kind: "none", why: "its path cannot be written to an alternates file" };
  const shallow = readIfThere(join(common, "shallow"));
  return {
    kind: "lends",
    lender: {
      objects,
      shallow: shallow === null ? null : Buffer.from(shallow),
      head: headOf(gitDir, common),
    },
  };
}

/** Where the git directory of `path` is; null when `path` is no repository. Only files are read. */
export function gitDirOf(path: string): string | null {
  const inside = join(path, ".git");
  const file = isFolder(inside) ? null : readIfThere(inside);
  const link = file === null ? null : /^gitdir: (.+)$/m.exec(file)?.[1];
  const candidates = [inside, ...(link ? [resolve(path, link)] : []), path];
  return candidates.find((each) => isFolder(each) && readIfThere(join(each, "HEAD")) !== null) ?? null;
}

function headOf(gitDir: string, common: string): Sha | null {
  const head = readIfThere(join(gitDir, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (ref === undefined) return parseSha(head);
  const loose = readIfThere(join(common, ref))?.trim();
  if (loose !== undefined) return parseSha(loose);
  const packed = readIfThere(join(common, "packed-refs")) ?? "";
  const line = packed.split("\n").find((each) => each.slice(41) === ref);
  return line === undefined ? null : parseSha(line.slice(0, 40));
}

function hasPromisorPacks(objects: string): boolean {
  const packs = join(objects, "pack");
  return isFolder(packs) && readdirSync(packs).some((name) => name.endsWith(".promisor"));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readIfThere(path: string): string | null {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : null;
}
