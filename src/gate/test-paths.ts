import { familyOf } from "./code.ts";

const inTests = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress|integration-tests?)\//i;
const testName =
  /[._-](?:test|spec|e2e|cy)\.\w+$|_tests\.\w+$|^test-[^/]*$|^(?:tests?|specs?)\.\w+$|^test_[^/]*$|(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kts?|cs|fs|php|swift|scala|groovy)$|^Test[A-Z]\w*\.(?:java|kts?)$/;
const snapshotName =
  /\.(?:snap|snapshot|ambr|golden|approved\.\w+|verified\.\w+)$|\.snap\.\w+$|(?:^|\/)(?:__snapshots__|__image_snapshots__|__file_snapshots__|snapshots|goldens?)\/|-snapshots\//;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Code that a test runner would run, or that tests use. */
export function isTest(path: string): boolean {
  if (isSnapshot(path)) return false;
  return testName.test(nameOf(path)) || (inTests.test(path) && familyOf(path) !== null && !isData(path));
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
  const isPlace = inTests.test(path) || /(?:^|\/)(?:fixtures?|__fixtures__|testdata)\//.test(path);
  return isPlace && !isSnapshot(path) && !isTest(path) && (familyOf(path) === null || isData(path));
}

function isData(path: string): boolean {
  return /\.(?:ya?ml|toml|cfg|ini|json|txt|csv|md)$/.test(path);
}
