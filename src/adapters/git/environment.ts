import { delimiter, isAbsolute } from "node:path";

/** What every git process of ours is given. Nothing of the action's own environment gets through. */
export type GitPlace = {
  /** The repository, bare and private to us. */
  readonly gitDir: string;
  /** HOME and working directory of git: private to us, never a workspace (R9). */
  readonly home: string;
  /** PATH. Relative parts are dropped, so that no working directory can supply a program. */
  readonly path: string;
};

/** What a process that talks to the remote gets on top: one protocol, and perhaps a credential for one origin. */
export type GitRemote = {
  readonly url: string;
  readonly token: string | null;
};

type Setting = readonly [key: string, value: string];

/**
 * Settings that hold for every call. They come from the environment, which outranks the repository's own file,
 * and system and user files are off, so no file decides what git runs.
 */
const hygiene: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  // Otherwise a fetch runs git inside the repository that objects are borrowed from, under its configuration.
  ["core.alternateRefsCommand", "true"],
  ["safe.bareRepository", "explicit"],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.fsckObjects", "true"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  // A redirect could carry the credential to another host.
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
];

/**
 * Checks that old commits on GitHub fail and that cannot hurt us: we read no dates and run no submodules. What could
 * put a file where it does not belong (`.git`, `..`, a slash in a name) stays an error.
 */
export const toleratedByFsck: readonly string[] = [
  "zeroPaddedFilemode",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "missingNameBeforeEmail",
  "missingEmail",
  "badEmail",
  "badName",
  "badDate",
  "badDateOverflow",
  "badTimezone",
  "zeroPaddedDate",
  "multipleAuthors",
  "gitmodulesBlob",
  "gitmodulesLarge",
  "gitmodulesMissing",
  "gitmodulesName",
  "gitmodulesParse",
  "gitmodulesPath",
  "gitmodulesSymlink",
  "gitmodulesUpdate",
  "gitmodulesUrl",
];

/**
 * The whole environment of a git process. The token stands in it only when `remote` is given, as a header for that
 * origin alone: not in the arguments, which other users can read, and in no file.
 */
export function gitEnvironment(place: GitPlace, remote?: GitRemote): Record<string, string> {
  const settings = remote === undefined ? hygiene : [...hygiene, ...remoteSettings(remote)];
  const environment: Record<string, string> = {
    PATH: absoluteParts(place.path),
    HOME: place.home,
    LC_ALL: "C",
    GIT_DIR: place.gitDir,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: String(settings.length),
  };
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

function remoteSettings({ url, token }: GitRemote): readonly Setting[] {
  const fsck = toleratedByFsck.map((name): Setting => [`fetch.fsck.${name}`, "ignore"]);
  if (isAbsolute(url)) return [...fsck, ["protocol.file.allow", "always"]];
  const { origin, protocol, username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new Error("the remote's address holds a credential; pass a token");
  if (protocol !== "https:" && protocol !== "http:")
    throw new Error(`cannot fetch over ${protocol} from ${origin}`);
  const allowed: Setting = [`protocol.${protocol.slice(0, -1)}.allow`, "always"];
  if (token === null) return [...fsck, allowed];
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [...fsck, allowed, [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]];
}

function absoluteParts(path: string): string {
  return path
    .split(delimiter)
    .filter((part) => isAbsolute(part))
    .join(delimiter);
}
