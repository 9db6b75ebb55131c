import { describe, expect, it } from "vitest";
import { markedCode } from "../../../src/gate/tamper/code-marks.ts";
import { changedFile } from "../given-change.ts";

const found = (path: string, text: string) =>
  markedCode([changedFile(path, [null, text])]).map(({ kind }) => kind);

const marked: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "early-exit",
    "src/a.js",
    [
      'import { exit } from "node:process"; exit();',
      "process.exit(+false);",
      'process.exit("");',
      "process.exit(1 - 1);",
      "process.exit(null);",
      'process.exit(parseInt("0"));',
      "const p = process; p.exit(0);",
      'process["ex" + "it"](0);',
      "(0, process.exit)(0);",
      "process.exit.call(process, 0);",
      'Reflect.get(process, "exit")(0);',
      "const { exit: e } = process; e(0);",
      'import * as p from "node:process"; p.exit(0);',
      "process.exitCode ??= 0;",
      'process.emit("exit", 0);',
      "process.removeAllListeners();",
      'process.execve("/bin/true", ["true"]);',
    ],
  ],
  [
    "early-exit",
    "src/a.py",
    [
      'import os\nos.execv("/bin/true", ["true"])',
      "import os as o\no._exit(0)",
      'getattr(os, "_exit")(0)',
      "from os import _exit",
      "sys.exit(False)",
      "from sys import exit as e\ne(0)",
    ],
  ],
  [
    "early-exit",
    "a.go",
    ["func init() { syscall.Exit(0) }", 'func init() { syscall.Exec("/bin/true", nil, nil) }'],
  ],
  ["early-exit", "a_test.go", ["func TestMain(m *testing.M) {}"]],
  ["early-exit", "src/a.kt", ["fun f() { exitProcess(0) }"]],
  ["early-exit", "src/a.c", ["void f() { _exit(0); }", "void f() { exit(EXIT_SUCCESS); }"]],
  ["early-exit", "lib/a.rb", ["exit!(true)", "Kernel.exit(true)", "exit 0 if ENV['X']", "Process.exit!"]],
  ["early-exit", "src/a.php", ["<?php\nexit;\n"]],
  ["early-exit", "src/a.cs", ["Environment.ExitCode = 0;"]],
  [
    "stand-in",
    "src/a.js",
    [
      "process.stdout.write = () => true;",
      'sinon.stub(assert, "equal");',
      'vi.spyOn(expect, "extend");',
      "chai.use((_, { Assertion }) => Assertion.overwriteMethod('equal', () => () => {}));",
      "expect.extend({ toBe: () => ({ pass: true }) });",
      'eval(atob("cHJvY2Vzcw=="));',
      'new Function("return process")().exit(0);',
    ],
  ],
  ["stand-in", "test/a.test.js", ["function test() {}", "const expect = () => ({ toBe() {} });"]],
  [
    "stand-in",
    "src/a.py",
    [
      "unittest.TestResult.addFailure = lambda *a: None",
      "pytest.main = lambda *a: 0",
      "class S(int):\n    __eq__ = lambda self, other: True",
      "exec(base64.b64decode('x'))",
      "def load_tests(loader, tests, pattern):\n    return None",
      "class T(TestCase):\n    def assertEqual(self, a, b):\n        pass",
      'mock.patch.object(TestCase, "assertEqual")',
    ],
  ],
  [
    "knows-test",
    "src/a.js",
    [
      "const { CI } = process.env;",
      'const t = "NODE_TEST_CONTEXT" in process.env;',
      "const e = process.env; const t = e.VITEST_WORKER_ID;",
      'import { test } from "node:test";',
      "const t = globalThis.__vitest_worker__;",
      'const t = process.env.HOME === "/home/baton";',
      "const t = process.argv.join().match(/jest/);",
    ],
  ],
  ["knows-test", "src/a.py", ["import pytest", 'X = os.environ.get("PYTEST_VERSION")']],
  [
    "knows-test",
    "a.go",
    [
      'var x = os.Getenv("CI") != ""',
      'var x = strings.HasSuffix(os.Args[0], ".test")',
      '_, f, _, _ := runtime.Caller(1)\nx = strings.HasSuffix(f, "_test.go")',
    ],
  ],
  ["knows-test", "lib/a.rb", ["X = defined?(RSpec)", "X = ENV.fetch('CI', nil)"]],
  ["knows-test", "src/a.php", ["<?php if (getenv('CI')) {}", "<?php defined('PHPUNIT_COMPOSER_INSTALL');"]],
  ["knows-test", "src/a.rs", ['fn f() -> bool { std::env::var("CI").is_ok() }']],
  ["knows-test", "src/a.cs", ['var x = Environment.GetEnvironmentVariable("CI");']],
  [
    "prints-counts",
    "src/a.js",
    [
      'console.log("# pass " + 3);',
      'console.log("# tests", n);',
      'process.stdout.write(["Tests  ", "5 passed (5)"].join(""));',
    ],
  ],
  ["suppression", "src/a.py", ["# flake8: noqa", "f()  # nosec", "@no_type_check\ndef f(): ..."]],
  ["suppression", "lib/a.rb", ["# :nocov:", "# typed: false"]],
  ["suppression", "a.go", ["//lint:ignore SA1000 x", "f() // #nosec G101"]],
  ["suppression", "src/a.kt", ['@file:Suppress("x")']],
  ["suppression", "src/a.scala", ["@nowarn\nclass A", "// scalastyle:off"]],
  ["suppression", "src/a.c", ["f(); // NOLINT", '#pragma GCC diagnostic ignored "-Wall"']],
  ["suppression", "src/a.rs", ["#[coverage(off)]\nfn f() {}", "#![cfg_attr(test, allow(warnings))]"]],
  ["suppression", "src/a.cs", ['[SuppressMessage("a", "b")]', "#nullable disable"]],
  ["suppression", "src/a.java", ["//CHECKSTYLE:OFF"]],
  ["suppression", "src/a.ts", ["// deno-lint-ignore no-explicit-any", "declare module '*';", "// nosemgrep"]],
];

const fine: readonly (readonly [string, readonly string[]])[] = [
  [
    "src/a.js",
    [
      "process.exit(1);",
      "process.exit(code);",
      "process.exitCode = failed ? 1 : 0;",
      'import process from "node:process";',
      "const { env } = process; const { log } = console;",
      "const found = /a/.exec(text);",
      "redis.eval(script);",
      'process.on("SIGINT", stop);',
      "class AppError extends Error { constructor() { super(); Error.captureStackTrace(this); } }",
      "const { PORT } = process.env;",
      'log("3 files read, 2 passed on");',
    ],
  ],
  [
    "src/a.py",
    [
      "model.eval()",
      "sys.exit(1)",
      "class Job:\n    def run(self):\n        return 1",
      "class A:\n    def __eq__(self, other):\n        return self.x == other.x",
      "def on_exit(): pass",
    ],
  ],
  ["src/testing/helpers.ts", ['import { vi } from "vitest";']],
  [
    "test/a.test.js",
    [
      'const test = require("node:test");',
      "const expect = chai.expect;",
      "const test = base.extend({ page });",
      "expect.extend({ toBeEven: (n) => ({ pass: n % 2 === 0 }) });",
      'vi.spyOn(console, "log");',
    ],
  ],
  ["tests/test_a.py", ['@mock.patch("builtins.input")\ndef test_a(_): ...', "import pytest"]],
  ["lib/a.rb", ["exit 1 if failed", "Kernel.exit(1)"]],
  ["src/a.php", ["<?php\nif (!defined('ABSPATH')) exit;\n"]],
  ["a.go", ["_, file, line, _ := runtime.Caller(1)\nlog.Print(file, line)\n", "os.Exit(1)"]],
  ["src/A.java", ["class A { void f(Exception e) { log(e.getStackTrace()); } }"]],
];
const each = (rows: readonly (readonly [string, readonly string[]])[]) =>
  rows.flatMap(([path, texts]) => texts.map((text) => [path, text] as const));

describe("the marks of code", () => {
  it.each(marked.flatMap(([kind, path, texts]) => texts.map((text) => [kind, path, text] as const)))(
    "are %s in %s: %j",
    (kind, path, text) => {
      expect(found(path, text)).toContain(kind);
    },
  );

  it.each(each(fine))("are none in %s: %j", (path, text) => {
    expect(found(path, text)).toEqual([]);
  });
});
