/**
 * Names of files as git and Linux have them are bytes. Inside this adapter a path is a string with one character per
 * byte (latin1), so that it sorts as git sorts and every name survives; it is turned into text at the port only.
 */
export type BytePath = string;

const ascii = /^[\0-\x7f]*$/;
/** Characters that HFS+ ignores in names: git takes `.g<zero-width>it` for `.git`, because a Mac would. */
const ignoredOnMac = /[\u200c-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;

/** The text of a path. Bytes that are not UTF-8 become U+FFFD. */
export function textOf(path: BytePath): string {
  return ascii.test(path) ? path : Buffer.from(path, "latin1").toString("utf8");
}

export function bytesOf(text: string): BytePath {
  return ascii.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** What the file system calls take for `path` below `root`, itself ordinary text. */
export function onDisk(root: string, path: BytePath): string | Buffer {
  if (path === "") return root;
  if (ascii.test(path)) return `${root}/${path}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}

export function childOf(folder: BytePath, name: BytePath): BytePath {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folder that holds `path`; empty for the root. */
export function folderOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Every folder above `path`, the root left out, the nearest first. */
export function foldersAbove(path: BytePath): readonly BytePath[] {
  const folders: BytePath[] = [];
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

/** Whether git on some system would take this name for `.git`. No tree that holds one can be pushed. */
export function isGitName(name: BytePath): boolean {
  return name.split("\\").some((part) => {
    const plain = textOf(part).replace(ignoredOnMac, "").toLowerCase();
    return /^(\.git|git~1)[ .]*(:.*)?$/.test(plain);
  });
}
