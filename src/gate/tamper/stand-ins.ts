import { familyOf } from "../code.ts";
import type { ChangedFile, Suspicion } from "../suspicion.ts";
import type { Reach } from "./reach.ts";

// A link, or another repository, in the place of such a directory counts too.
const installed =
  /(?:^|\/)(?:node_modules|\.venv|venv|\.tox|\.nox|site-packages|bower_components|jspm_packages|\.direnv|\.pnpm-store)(?:\/|$)|^vendor\/bundle(?:\/|$)/;
/** Copies of others' code, from which tests take their runner or their assertions. */
const copied =
  /(?:^|\/)(?:vendor|third_party|third-party|external|extern|deps)\/(?:.*\/)?(?:[\w-]*(?:testify|gtest|googletest|gmock|catch2|doctest|phpunit|pest|rspec|minitest|pytest|unittest|unity|cmocka|chai|mocha|jest|vitest|assert|testing|test)[\w.-]*)\/|(?:^|\/)vendor\/(?:autoload\.php|modules\.txt|composer\/|github\.com\/|golang\.org\/|gopkg\.in\/)/i;
const startup = /(?:^|\/)(?:sitecustomize|usercustomize)(?:\.py$|\/)|\.pth$/;
const compiled = /(?:^|\/)__pycache__(?:\/|$)|\.py[cod]$/;
/** Python loads the plugins that such a directory names. */
const metadata = /\.(?:egg|dist)-info(?:\/|$)/;
/** What tools keep of earlier runs, and take for their own result. */
const cached =
  /\.tsbuildinfo$|(?:^|\/)\.(?:eslintcache|stylelintcache|phpunit\.result\.cache|phpunit\.cache|php-cs-fixer\.cache|rubocop_cache|turbo|nx|mypy_cache|pytest_cache|ruff_cache|gradle|parcel-cache|vitest|jest-cache|rpt2_cache|bazel-cache|dmypy\.json|hypothesis|next|nuxt|angular)(?:\/|$)|(?:^|\/)target\/(?:debug|release)(?:\/|$)/;
/** Jest puts these in the place of packages of the same name, without being asked to. */
const mocked = /^(?:(?:packages|apps|libs)\/[^/]+\/)?__mocks__\//;

const standard =
  "abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging lzma math mimetypes mmap multiprocessing ntpath numbers opcode operator optparse os pathlib pdb pickle pkgutil platform plistlib posixpath pprint queue random re reprlib runpy sched secrets select selectors shelve shlex shutil signal site socket sqlite3 sre_compile stat statistics string stringprep struct subprocess symtable sys sysconfig tempfile textwrap threading time timeit token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid warnings weakref zipfile zipimport zlib zoneinfo";
const libraries =
  "pytest _pytest pluggy iniconfig packaging attr attrs exceptiongroup tomli pygments py nose nose2 hypothesis coverage mock tox assertpy testtools trial behave robot numpy pandas django flask requests six";
/** What Python finds first when a file of this name stands at the top or beside the tests. */
const pythonNames = new RegExp(
  `^(?:${`${standard} ${libraries}`.replaceAll(" ", "|")}|pytest_\\w+)(?:\\.(?:py|[\\w-]*\\.?so)$|/)`,
);
/** What a bare import or a program of this name would find. */
const runnerNames =
  /^(?:node|npm|npx|yarn|pnpm|bun|deno|tsc|tsx|eslint|biome|prettier|vitest|jest|mocha|ava|tap|tape|c8|nyc|karma|chai|sinon|assert|pytest|python3?|tox|nox|ruff|mypy|go|cargo|make|mvn|gradle|rspec|rake|bundle|phpunit|dotnet|sh|bash|test)(?:\.(?:[cm]?js|cmd|exe|sh))?$/;

/** Files that take the place of a runner, of its results, or of a library that tests rely on. */
export function standIns(files: readonly ChangedFile[], reach: Reach): readonly Suspicion[] {
  return files.flatMap(({ change: { path, mode, status } }) => {
    if (status === "deleted") return [];
    const why = whyHeld(path) ?? (status === "added" ? whyAdded(path, mode, reach) : null);
    return why === null ? [] : [{ path, kind: "stand-in" as const, why }];
  });
}

/** Also where it was there before. */
function whyHeld(path: string): string | null {
  if (installed.test(path)) return "it stands where installed packages do and would be used in their place";
  if (copied.test(path) && (familyOf(path) !== null || /\.(?:php|txt|json)$/.test(path)))
    return "it is a copy of a package that tests may rely on";
  if (startup.test(path)) return "Python runs it before anything else";
  if (compiled.test(path)) return "Python may run it in place of the source of the same name";
  if (metadata.test(path)) return "Python loads the plugins that it names";
  return cached.test(path) ? "a tool would take it for what it has found itself" : null;
}

function whyAdded(path: string, mode: string | null, { files }: Reach): string | null {
  if (mocked.test(path)) return "a test runner puts it in the place of a package";
  const local = path.replace(/^(?:tests?|src|lib|python)\//, "");
  if (pythonNames.test(local) && /\.py$|so$/.test(path))
    return "it would be imported in place of a library of the same name";
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isProgram = mode === "100755" || /^(?:bin|scripts?|tools?|\.bin)\//.test(path) || !path.includes("/");
  if (runnerNames.test(name) && isProgram && !/^test\.[cm]?js$/.test(name))
    return "it has the name of a program that checks use";
  return mode === "120000" && files.has(path) ? "a link takes the place of what a check runs" : null;
}
