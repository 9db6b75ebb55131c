import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";

export type ViewOptions = {
  /** The PATH of the host. */
  readonly path: string;
  /** Directories that commands need although they lie in a masked place, such as the runner's tool cache. */
  readonly visible: readonly string[];
  /** Directories of which nothing may be seen: HOME, RUNNER_TEMP, the runner's workspace. */
  readonly masked: readonly string[];
  /** Values of declared variables: those that name a directory, as JAVA_HOME does, are shown. */
  readonly named: readonly string[];
};

type Link = { readonly path: string; readonly target: string };
type Bind = { readonly from: string; readonly to: string };

/** What of the host is seen inside. All read-only; later parts lie over earlier ones. */
export type View = {
  /** Links of the host's root, such as /bin → usr/bin. */
  readonly links: readonly Link[];
  /** `from` on the host shows at `to`. */
  readonly binds: readonly Bind[];
  /** Masked directories within what is shown. */
  readonly covered: readonly string[];
  /** What was asked for by name within a masked place. */
  readonly uncovered: readonly Bind[];
  /** The PATH inside: only directories that are seen there. */
  readonly path: string;
};

const systemDirs = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"];
/** Never shown, whoever names them: the sandbox has its own, or they are too much. */
const ownDirs = ["/", "/proc", "/sys", "/dev", "/run", "/tmp", "/var", "/home", "/root", "/workspace"];
const fallbackPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** An allowlist: what is not named here, by PATH or by the maintainer is not there. */
export function viewOf(options: ViewOptions): View {
  const { links, binds } = systemView();
  const masked = options.masked.map((dir) => real(dir) ?? dir);
  const searched = options.path.split(":").filter((dir) => isAbsolute(dir));
  const named = options.named.filter((value) => isAbsolute(value));
  for (const dir of [...searched.map(prefixOf), ...named]) {
    const from = directoryAt(dir);
    if (from === null || binds.some((bind) => within(from, bind.from))) continue;
    if (masked.some((mask) => within(mask, from) || within(from, mask))) continue;
    binds.push(...bindsOf(from, dir));
  }
  const covered = masked.filter((mask) => binds.some((bind) => within(mask, bind.from)));
  const uncovered = options.visible.flatMap((dir) => {
    const from = directoryAt(dir);
    const isShown = binds.some((bind) => from !== null && within(from, bind.from));
    const isCovered = covered.some((mask) => from !== null && within(from, mask));
    if (from === null || (isShown && !isCovered) || masked.some((mask) => within(mask, from))) return [];
    return bindsOf(from, dir);
  });
  const isSeen = (dir: string): boolean => {
    const at = real(dir);
    if (at === null) return false;
    if (uncovered.some((bind) => within(at, bind.from))) return true;
    if (covered.some((mask) => within(at, mask))) return false;
    return binds.some((bind) => within(at, bind.from));
  };
  const path = [...new Set([...searched.filter(isSeen), ...fallbackPath])].join(":");
  return { links, binds, covered, uncovered, path };
}

function systemView(): { readonly links: Link[]; readonly binds: Bind[] } {
  const links: Link[] = [];
  const binds: Bind[] = [];
  for (const path of systemDirs) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    if (stat?.isDirectory()) binds.push({ from: path, to: path });
  }
  return { links, binds };
}

/** At its real place and, where that differs, at the name it was given by. */
function bindsOf(from: string, name: string): readonly Bind[] {
  const isFree = (to: string) => !ownDirs.includes(to) && !systemDirs.some((dir) => within(to, dir));
  return [...new Set([from, name])].filter((to) => to === from || isFree(to)).map((to) => ({ from, to }));
}

/** Programs seldom stand alone: of `<prefix>/bin` the whole prefix is shown. */
function prefixOf(dir: string): string {
  return /^\.?s?bin$/.test(basename(dir)) ? dirname(dir) : dir;
}

function directoryAt(dir: string): string | null {
  const at = real(dir);
  if (at === null || ownDirs.includes(at)) return null;
  return statSync(at, { throwIfNoEntry: false })?.isDirectory() ? at : null;
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function within(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}
