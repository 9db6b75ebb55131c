import type { View } from "./view.ts";

export const inside = {
  root: "/workspace",
  home: "/home/baton",
  tmp: "/tmp",
  node: "/run/baton/node",
  host: "/run/baton/host",
  fifo: "/run/baton/output",
} as const;

export type Uids = { readonly uid: number; readonly gid: number };

export type EnterOptions = {
  readonly view: View;
  /** Paths on the host. `place` is a private directory of this sandbox, `newRoot` an empty one in it. */
  readonly place: string;
  readonly newRoot: string;
  readonly workspace: string;
  readonly home: string;
  /** Whether the workspace holds a `.git`, and of which kind: it is shown read-only. */
  readonly git: boolean;
  readonly node: string;
  readonly toolhostDir: string;
  /** Files of `place` that lie over those of the host, such as `passwd` over /etc/passwd. */
  readonly over: readonly { readonly from: string; readonly to: string }[];
  /** Where /etc/resolv.conf leads when that is outside /etc, else null. */
  readonly resolver: string | null;
  readonly supervisor: Uids;
  /** The program of the supervisor with its arguments, as seen inside. */
  readonly argv: readonly string[];
};

const devices = ["null", "zero", "full", "random", "urandom", "tty"];
const filesMax = 4096;
const processesMax = 4096;
/** 4 GiB in the 512-byte blocks that POSIX `ulimit -f` counts in; dash does, bash counts 1024. */
const fileBlocksMax = 8 * 1024 * 1024;

/**
 * Everything that is mounted, as one table, because one `mount --all` is many times faster than a process for each.
 * A new root on a tmpfs by allowlist; nothing of the host's other directories is under it.
 */
export function mountTable(options: EnterOptions): string {
  const at = (path: string) => `${options.newRoot}${path}`;
  const readOnly = "rbind,ro,nosuid,nodev,x-mount.mkdir";
  const { view } = options;
  const rows: string[][] = [
    ["proc", at("/proc"), "proc", "nosuid,nodev,noexec"],
    ["tmpfs", at(inside.tmp), "tmpfs", "mode=1777,nosuid,nodev"],
    ["tmpfs", at("/dev/shm"), "tmpfs", "mode=1777,nosuid,nodev"],
    ["devpts", at("/dev/pts"), "devpts", "newinstance,ptmxmode=0666,mode=620,nosuid,noexec"],
    ...devices.map((name) => [`/dev/${name}`, at(`/dev/${name}`), "none", "bind"]),
    ...view.binds.map(({ from, to }) => [from, at(to), "none", readOnly]),
    ...view.covered.map((path) => ["tmpfs", at(path), "tmpfs", "mode=755,nosuid,nodev,noexec,size=64k"]),
    ...view.uncovered.map(({ from, to }) => [from, at(to), "none", readOnly]),
    ...options.over.map(({ from, to }) => [from, at(to), "none", "bind,ro,nosuid,nodev"]),
    [options.workspace, at(inside.root), "none", "bind,nosuid,nodev"],
    [options.home, at(inside.home), "none", "bind,nosuid,nodev"],
    [options.toolhostDir, at(inside.host), "none", "rbind,ro,nosuid,nodev"],
    [options.node, at(inside.node), "none", "bind,ro,nosuid,nodev"],
  ];
  if (options.git)
    rows.push([`${options.workspace}/.git`, at(`${inside.root}/.git`), "none", "bind,ro,nosuid,nodev"]);
  return `${rows.map(([from = "", to = "", type, flags]) => `${escaped(from)} ${escaped(to)} ${type} ${flags} 0 0`).join("\n")}\n`;
}

/**
 * What the namespace's first process does, as root of the namespace: builds the root, goes there, lets the old one
 * go, gives up all rights but four, starts the supervisor and waits. As pid 1 it also buries orphans; when it ends,
 * the kernel kills all that is left. Nothing is written to the host's own table of mounts (`-n`). A change of uid forgets the tie to the parent, so it is made again after it.
 */
export function enterScript(options: EnterOptions): string {
  const root = quoted(options.newRoot);
  const rights = "-all,+setuid,+setgid,+kill,+setpcap";
  return `set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin; export PATH
umask 022
mount -n -t tmpfs -o mode=755,nosuid,nodev tmpfs ${root}
cd ${root}
mkdir -p proc tmp dev/shm dev/pts mnt root var workspace home/baton run/baton/host
: > run/baton/node
mkfifo -m 666 run/baton/output
ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin; ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr
for name in ${devices.join(" ")}; do : > "dev/$name"; done
${options.view.links.map(({ path, target }) => `ln -s ${quoted(target)} .${quoted(path)}`).join("\n")}
${options.resolver === null ? "" : copyResolver(options.resolver)}
mount -n --all --fstab ${quoted(`${options.place}/mounts`)}
pivot_root . mnt
cd /
umount -n -l /mnt
[ -e var/tmp ] || ln -s /tmp var/tmp
[ -e var/run ] || ln -s /run var/run
${readOnlyBelow(options.view)}
mount -n -o remount,ro /
hostname sandbox 2>/dev/null || echo sandbox > /proc/sys/kernel/hostname || :
${loopbackUp}
echo 500 > /proc/self/oom_score_adj || :
ulimit -c 0; ulimit -n ${filesMax}; ulimit -f ${fileBlocksMax}
(ulimit -u ${processesMax}) 2>/dev/null && ulimit -u ${processesMax} || ulimit -p ${processesMax}
exec setpriv --pdeathsig=KILL --reuid=${options.supervisor.uid} --regid=${options.supervisor.gid} --clear-groups --no-new-privs \\
  --inh-caps=${rights} --ambient-caps=${rights} --bounding-set=${rights} \\
  sh -c ${quoted(startAndWait)} sh ${options.argv.map(quoted).join(" ")}
`;
}

/** A shell gives a background process an empty stdin unless told otherwise, and must not keep the channel open itself. */
const startAndWait = 'exec 3<&0 </dev/null; "$@" <&3 3<&- & exec >/dev/null 3<&-; wait "$!"';

/** Without any of these the sandbox works, only without its own 127.0.0.1, which the probe tells. */
const loopbackUp = `ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || busybox ip link set lo up 2>/dev/null ||
  perl -e 'socket(S,2,2,0)&&ioctl(S,0x8914,pack("a16sx14","lo",0x41))||exit 1' 2>/dev/null || :`;

/** A recursive bind makes only its top read-only. What is mounted below (a snap, a disk) follows here. */
function readOnlyBelow(view: View): string {
  const dirs = [...view.binds, ...view.uncovered].map(({ to }) => to);
  const tops = [...dirs, inside.host].map((dir) => quoted(`${dir}/`));
  return `while read -r _ _ _ _ point flags _; do
  case "$point" in ${tops.map((top) => `${top}*`).join("|")}) ;; *) continue ;; esac
  case ",$flags," in *,ro,*) continue ;; esac
  mount -n -o "remount,bind,$flags,ro,nosuid,nodev" "$(printf "$point")"
done < /proc/self/mountinfo`;
}

function copyResolver(path: string): string {
  const copy = `.${path}`;
  return `mkdir -p ${quoted(copy.slice(0, copy.lastIndexOf("/")))}; cat ${quoted(path)} > ${quoted(copy)} || :`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As fstab(5) wants it. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
