/** What one line of a runner's output adds to its counts. Some lines correct an earlier one, so numbers may be negative. */
export type Tally = { readonly passed?: number; readonly failed?: number; readonly skipped?: number };

export type Runner = {
  readonly name: string;
  /** What it counts. */
  readonly unit: "tests" | "packages";
  /** Null where the line says nothing. The line comes without colours and without space at its end. */
  readonly read: (line: string) => Tally | null;
  /** A runner of this name says the same more exactly. */
  readonly unless?: string;
  /** It only corrects what the runner of this name says. */
  readonly of?: string;
};

const none: Tally = { passed: 0, failed: 0, skipped: 0 };

/** The closing lines of the runners, as they are printed where no terminal is attached. */
export const runners: readonly Runner[] = [
  {
    name: "vitest",
    unit: "tests",
    read: (line) => {
      if (/^No test files found\b/.test(line) || /^\s*Tests {2}no tests$/.test(line)) return none;
      const [, words] = /^\s*Tests {2}(\d.*) \(\d+\)$/.exec(line) ?? [];
      return words === undefined ? null : byWord(words);
    },
  },
  {
    name: "jest",
    unit: "tests",
    read: (line) => {
      if (/^No tests found\b/.test(line)) return none;
      const [, words] = /^Tests: {2,}(\d.*), \d+ total$/.exec(line) ?? [];
      if (words !== undefined) return byWord(words);
      return /^Tests: {2,}0 total$/.test(line) ? none : null;
    },
  },
  {
    name: "mocha",
    unit: "tests",
    read: (line) => {
      const [, count, word] = /^ {2}(\d+) (passing|pending|failing)\b/.exec(line) ?? [];
      if (count === undefined || word === undefined) return null;
      if (word === "passing") return { passed: Number(count) };
      return word === "pending" ? { skipped: Number(count) } : { failed: Number(count) };
    },
  },
  {
    // The summary of node's own runner, of tape and of tap, in TAP and in words.
    name: "tap",
    unit: "tests",
    read: (line) => {
      const [, word, count] =
        /^(?:#|\u2139|\s*<!--) (tests|pass|fail|cancelled|skipped|skip|todo) +(\d+)(?: -->)?$/.exec(line) ??
        [];
      if (word === undefined) return tapTotals(line);
      const number = Number(count);
      if (word === "tests") return none;
      if (word === "pass") return { passed: number };
      return word === "fail" || word === "cancelled" ? { failed: number } : { skipped: number };
    },
  },
  {
    // Node's own runner takes a file without tests for a test that passed, named as the file is.
    name: "node files",
    unit: "tests",
    of: "tap",
    read: (line) =>
      /^(?:\u2714 \S+\.[cm]?[jt]sx? \([\d.]+ms\)|ok \d+ - \S+\.[cm]?[jt]sx?)$/.test(line)
        ? { passed: -1 }
        : null,
  },
  {
    name: "tap lines",
    unit: "tests",
    unless: "tap",
    read: (line) => {
      if (/^1\.\.\d+(?: |$)/.test(line)) return none;
      const [, word] = /^\s*(ok|not ok) \d+(?: (?!.*\{$)|$)/.exec(line) ?? [];
      if (word === undefined) return null;
      if (/ # (?:skip|todo)\b/i.test(line)) return { skipped: 1 };
      return word === "ok" ? { passed: 1 } : { failed: 1 };
    },
  },
  {
    name: "ava",
    unit: "tests",
    read: (line) => {
      const [, count, word] = /^ {2}(\d+) tests? (passed|failed|skipped|todo)$/.exec(line) ?? [];
      return count === undefined ? null : byWord(`${count} ${word}`);
    },
  },
  {
    name: "pytest",
    unit: "tests",
    read: (line) => {
      const [, words] = /^(?:=+ )?(.*?) in \d[\d.:]*s?(?: \([\d:]+\))?(?: =+)?$/.exec(line) ?? [];
      if (words === undefined) return null;
      if (words === "no tests ran" || /^\d+ deselected$/.test(words)) return none;
      return /^(?:\d+ [a-z]+(?:, |$))+$/.test(words) && /passed|failed|error|skipped|xfailed/.test(words)
        ? byWord(words)
        : null;
    },
  },
  {
    name: "unittest",
    unit: "tests",
    read: (line) => {
      const [, ran] = /^Ran (\d+) tests? in /.exec(line) ?? [];
      if (ran !== undefined) return { passed: Number(ran) };
      const [, words] = /^(?:OK|FAILED|NO TESTS RAN) \(([a-z]+(?: [a-z]+)?=.*)\)$/.exec(line) ?? [];
      if (words === undefined) return null;
      const failed = named(words, /(?:(?<!expected )failures|errors|unexpected successes)=(\d+)/g);
      const skipped = named(words, /(?:skipped|expected failures)=(\d+)/g);
      return { passed: -failed - skipped, failed, skipped };
    },
  },
  {
    name: "go",
    unit: "tests",
    read: (line) => {
      const [, word] =
        /^\s*--- (PASS|FAIL|SKIP): /.exec(line) ??
        /^\{.*"Action":"(pass|fail|skip)".*"Test":"/.exec(line) ??
        [];
      if (word === undefined) return null;
      return byWord(`1 ${word.toLowerCase()}`);
    },
  },
  {
    name: "go packages",
    unit: "packages",
    unless: "go",
    read: (line) => {
      if (/^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s.*\[no tests to run\]$/.test(line)) return none;
      if (/^ok\s+\S+\s+(?:\d[\d.]*s|\(cached\))/.test(line)) return { passed: 1 };
      return /^FAIL\s+\S+\s+(?:\d[\d.]*s|\[build failed\])/.test(line) ? { failed: 1 } : null;
    },
  },
  {
    name: "cargo",
    unit: "tests",
    read: (line) => {
      const [, words] =
        /^test result: \w+\. (.*?);? finished in /.exec(line) ??
        /^\s*Summary \[.*?\] \d+ tests? run: (.*)$/.exec(line) ??
        [];
      return words === undefined ? null : byWord(words);
    },
  },
  {
    name: "rspec",
    unit: "tests",
    read: (line) => {
      const [, all, failed, pending] =
        /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, \d+ errors? .*)?$/.exec(line) ?? [];
      return all === undefined ? null : outOf(all, failed, pending);
    },
  },
  {
    name: "minitest",
    unit: "tests",
    read: (line) => {
      const [, all, words = ""] =
        /^(\d+) (?:runs|tests), \d+ assertions, (\d+ failures, .*)$/.exec(line) ?? [];
      if (all === undefined) return null;
      const failed = named(words, /(\d+) (?:failures|errors)/g);
      return outOf(all, failed, named(words, /(\d+) (?:skips|pendings|omissions)/g));
    },
  },
  {
    name: "phpunit",
    unit: "tests",
    read: (line) => {
      if (line === "No tests executed!") return none;
      const [, fine] = /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(line) ?? [];
      if (fine !== undefined) return { passed: Number(fine) };
      const [, all, words = ""] = /^Tests: (\d+), Assertions: \d+(.*)\.$/.exec(line) ?? [];
      if (all === undefined) return null;
      const failed = named(words, /(?:Failures|Errors): (\d+)/g);
      return outOf(all, failed, named(words, /(?:Skipped|Incomplete): (\d+)/g));
    },
  },
  {
    // Each class has a line of its own with its time; the totals have none.
    name: "maven",
    unit: "tests",
    read: (line) => {
      if (/^\[INFO\] No tests to run\.$/.test(line)) return none;
      const [, all, words = ""] =
        /^\[(?:INFO|WARNING|ERROR)\] Tests run: (\d+), (Failures: \d+, Errors: \d+, Skipped: \d+)$/.exec(
          line,
        ) ?? [];
      if (all === undefined) return null;
      return outOf(all, named(words, /(?:Failures|Errors): (\d+)/g), named(words, /Skipped: (\d+)/g));
    },
  },
  {
    name: "gradle",
    unit: "tests",
    read: (line) => {
      const [, all, failed, skipped] =
        /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/.exec(line) ?? [];
      if (all !== undefined) return outOf(all, failed, skipped);
      return /^> Task :(?:\S+:)?test NO-SOURCE$/.test(line) ? none : null;
    },
  },
  {
    name: "gradle lines",
    unit: "tests",
    unless: "gradle",
    read: (line) => {
      const [, word] = /^\S.* > .+ (PASSED|FAILED|SKIPPED)$/.exec(line) ?? [];
      return word === undefined ? null : byWord(`1 ${word.toLowerCase()}`);
    },
  },
  {
    name: "dotnet",
    unit: "tests",
    read: (line) => {
      if (/^No test is available in /.test(line)) return none;
      const [, failed, passed, skipped] =
        /^\w+! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total:/.exec(line) ??
        /^Test summary: total: \d+, failed: (\d+), succeeded: (\d+), skipped: (\d+)/.exec(line) ??
        [];
      if (failed === undefined) return null;
      return { failed: Number(failed), passed: Number(passed), skipped: Number(skipped) };
    },
  },
  {
    name: "playwright",
    unit: "tests",
    read: (line) => {
      const [, count, word] = /^ {2}(\d+) (passed|failed|flaky|skipped)(?: \(.*\))?$/.exec(line) ?? [];
      return count === undefined ? null : byWord(`${count} ${word}`);
    },
  },
  {
    name: "bun",
    unit: "tests",
    read: (line) => {
      const [, count, word] = /^ (\d+) (pass|fail|skip|todo)$/.exec(line) ?? [];
      if (count !== undefined) return byWord(`${count} ${word}`);
      return /^Ran 0 tests across /.test(line) ? none : null;
    },
  },
  {
    name: "deno",
    unit: "tests",
    read: (line) => {
      const [, words] = /^(?:ok|FAILED) \| (\d+ passed.*?)(?: \([\d.a-z]+\))?$/.exec(line) ?? [];
      return words === undefined ? null : byWord(words);
    },
  },
];

const words: ReadonlyMap<string, keyof Tally> = new Map([
  ...["passed", "pass", "xpassed", "flaky"].map((word) => [word, "passed"] as const),
  ...["failed", "fail", "error", "errors"].map((word) => [word, "failed"] as const),
  ...["skipped", "skip", "todo", "ignored", "xfailed", "pending"].map((word) => [word, "skipped"] as const),
]);

/** `2 failed | 5 passed`: words that are not known, such as `warnings`, count for nothing. */
function byWord(text: string): Tally {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const [, count, word = ""] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const key = words.get(word);
    if (key !== undefined) sum[key] += Number(count);
  }
  return sum;
}

function named(text: string, pattern: RegExp): number {
  return Array.from(text.matchAll(pattern)).reduce((sum, [, count]) => sum + Number(count), 0);
}

function outOf(
  all: number | string,
  failed: number | string | undefined,
  skipped: number | string | undefined,
): Tally {
  const [bad, left] = [Number(failed ?? 0), Number(skipped ?? 0)];
  return { passed: Number(all) - bad - left, failed: bad, skipped: left };
}

/** tap since version 18: `# { total: 3, pass: 3 }`. */
function tapTotals(line: string): Tally | null {
  const [, text] = /^# \{ total: \d+,? ?(.*?) ?\}$/.exec(line) ?? [];
  if (text === undefined) return null;
  const of = (word: string) => named(text, new RegExp(`\\b${word}: (\\d+)`, "g"));
  return { passed: of("pass"), failed: of("fail"), skipped: of("skip") + of("todo") };
}
