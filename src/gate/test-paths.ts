import { familyOf } from "./code.ts";

const inTests =
  /(?:^|\/)(?:tests?|__(?:tests|specs)__|specs?|e2e|cypress|(?:unit|integration|functional|acceptance|smoke|system|e2e|api|ui|regression|contract|android|common|jvm)[-_]?tests?|[A-Z]\w*(?:\.\w+)*\.?Tests?)\//i;
/** A dotted or a joined name, as in .NET and Swift, ends in `Tests` with its capital. */
const lowerCase = /(?:^|\/)(?!tests?\/|specs?\/)[a-z]+tests?\//;
const testName =
  /[._-](?:test|spec|e2e|cy)\.\w+$|_tests\.\w+$|^test-[^/]*$|^(?:tests?|specs?)\.\w+$|^test_[^/]*$|(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kts?|cs|fs|php|swift|scala|groovy)$|^Test[A-Z]\w*\.(?:java|kts?)$/;
/** Languages of tests that are not read here: a line that is gone is all that is seen. */
const foreign =
  /\.(?:feature|robot|hurl|t|clj[cs]?|lua|zig|[eh]rl|[rR]|jl|l?hs|mli?|elm|nim|sol|f90|rkt|scm|lisp|el|cr|tcl|vb|adb|pas|d|sv|v|vhd)$/;
const foreignName = /\.(?:feature|robot|hurl)$|(?:^|\/)t\/.*\.t$/;
const dataPlace =
  /(?:^|\/)(?:__fixtures__|(?:[\w-]+[-_.])?(?:fixtures?|test-?data)|test[-_](?:data|cases|fixtures?|resources)|expected|expectations?|cassettes?|(?:__)?recordings?(?:__)?)\//i;
const snapshotName =
  /\.(?:snap|snapshot|ambr|golden|approved\.\w+|verified\.\w+)$|\.snap\.\w+$|(?:^|\/)(?:__snapshots__|__image_snapshots__|__file_snapshots__|snapshots|goldens?)\/|-snapshots\//;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Code that a test runner would run, or that tests use. */
export function isTest(path: string): boolean {
  if (isSnapshot(path)) return false;
  if (familyOf(path) === null) return testName.test(nameOf(path)) && !foreign.test(path);
  return testName.test(nameOf(path)) || (isInTests(path) && !isData(path));
}

/** Whether a runner finds the file by its name, not only by where it stands. */
export function isNamedTest(path: string): boolean {
  return testName.test(nameOf(path));
}

/** What a test compares with, written by the runner itself or by hand. */
export function isSnapshot(path: string): boolean {
  return snapshotName.test(path);
}

/** What tests read, and no code. */
export function isTestData(path: string): boolean {
  if (foreignName.test(path) || (foreign.test(path) && isNamedTest(path))) return true;
  const isPlace = isInTests(path) || dataPlace.test(path);
  return isPlace && !isSnapshot(path) && !isTest(path) && (familyOf(path) === null || isData(path));
}

function isInTests(path: string): boolean {
  return inTests.test(path) && !lowerCase.test(path);
}

function isData(path: string): boolean {
  return /\.(?:ya?ml|toml|cfg|ini|json|txt|csv|md)$/.test(path);
}
