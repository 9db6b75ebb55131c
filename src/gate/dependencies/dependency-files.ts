import { composerLock, npmLock, nugetLock, pipfileLock, tomlLock } from "./lock-files.ts";
import { bunLock, gemLock, goSum, gradleLock, pnpmLock, yarnLock } from "./lock-lines.ts";
import {
  cargoToml,
  composerJson,
  gemfile,
  goMod,
  packageJson,
  pipfile,
  properties,
  pyproject,
  requirements,
  versionsToml,
} from "./manifest-packages.ts";
import type { PackageReader } from "./packages.ts";

/** A kind of file that decides what setup installs. */
export type DependencyFormat = {
  /** Of a file's name, without its folder. */
  readonly names: RegExp;
  /** What its text has to be, with its article. */
  readonly as: string;
  /** Read by its own grammar, or line by line, which can miss what is written in an unusual way. */
  readonly how: "exactly" | "line by line";
  /** Null where only that it changed can be told. */
  readonly read: PackageReader | null;
};

/** By the file's name, and for lists of requirements by their folder too; null where it decides nothing. */
export function dependencyFormat(path: string): DependencyFormat | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const known = /(?:^|\/)requirements\/[^/]+\.txt$/.test(path) ? "requirements.txt" : name;
  return dependencyFormats.find(({ names }) => names.test(known)) ?? null;
}

/** All that setup installs from, as far as it is known by name. */
export const dependencyFormats: readonly DependencyFormat[] = [
  exactly(/^package\.json$/, "a manifest of npm", packageJson),
  exactly(/^(?:package-lock|npm-shrinkwrap)\.json$/, "a lock file of npm", npmLock),
  byLine(/^yarn\.lock$/, "a lock file of Yarn", yarnLock),
  byLine(/^pnpm-lock\.yaml$/, "a lock file of pnpm", pnpmLock),
  byLine(/^bun\.lock$/, "a lock file of Bun", bunLock),
  byLine(/^\.npmrc$/, "settings of npm", properties),
  unread(/^(?:\.yarnrc(?:\.yml)?|pnpm-workspace\.yaml|\.pnpmfile\.c?js|bun\.lockb|bunfig\.toml|deno\.lock)$/),
  exactly(/^pyproject\.toml$/, "a project of Python", pyproject),
  exactly(
    /^(?:(?:poetry|uv|pdm)\.lock|pylock(?:\.[\w-]+)?\.toml)$/,
    "a lock file of Python packages",
    tomlLock,
  ),
  exactly(/^Pipfile$/, "a Pipfile", pipfile),
  exactly(/^Pipfile\.lock$/, "a lock file of Pipenv", pipfileLock),
  byLine(/^(?:[\w.-]*[._-])?(?:requirements|constraints).*\.txt$/, "a list of requirements", requirements),
  unread(/^(?:setup\.py|setup\.cfg|environment\.ya?ml|conda-lock\.ya?ml)$/),
  byLine(/^go\.(?:mod|work)$/, "a list of Go modules", goMod),
  byLine(/^go\.(?:work\.)?sum$/, "checksums of Go modules", goSum),
  exactly(/^Cargo\.toml$/, "a manifest of Cargo", cargoToml),
  exactly(/^Cargo\.lock$/, "a lock file of Cargo", tomlLock),
  byLine(/^(?:Gemfile|gems\.rb)$/, "a Gemfile", gemfile),
  byLine(/^(?:Gemfile\.lock|gems\.locked)$/, "a lock file of Bundler", gemLock),
  unread(/\.gemspec$/),
  exactly(/^composer\.json$/, "a manifest of Composer", composerJson),
  exactly(/^composer\.lock$/, "a lock file of Composer", composerLock),
  exactly(/^libs\.versions\.toml$/, "a version catalogue of Gradle", versionsToml),
  byLine(/^gradle\.lockfile$/, "a lock file of Gradle", gradleLock),
  byLine(/^gradle-wrapper\.properties$/, "settings of Gradle's wrapper", properties),
  unread(/^(?:pom\.xml|settings\.gradle(?:\.kts)?|build\.gradle(?:\.kts)?|verification-metadata\.xml)$/),
  exactly(/^packages\.lock\.json$/, "a lock file of NuGet", nugetLock),
  unread(/^(?:Directory\.Packages\.props|mix\.exs|mix\.lock|pubspec\.(?:yaml|lock)|Podfile(?:\.lock)?)$/),
  unread(/^(?:Package\.swift|Package\.resolved|flake\.lock)$/),
];

function exactly(names: RegExp, as: string, read: PackageReader): DependencyFormat {
  return { names, as, how: "exactly", read };
}

function byLine(names: RegExp, as: string, read: PackageReader): DependencyFormat {
  return { names, as, how: "line by line", read };
}

function unread(names: RegExp): DependencyFormat {
  return { names, as: "", how: "line by line", read: null };
}
