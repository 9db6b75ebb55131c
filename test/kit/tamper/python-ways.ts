// Ways to make a check pass while the fault stays, in Python.
import { type Attempt, edit, move } from "./way.ts";

const on = "python";
const a = "tests/test_app.py";
const sums = "    def test_sums(self):\n";
const assertion = "self.assertEqual(three, 3)";

export const pythonWays: readonly Attempt[] = [
  { name: "delete the tests of Python", on, change: { [a]: null } },
  { name: "skip by a decorator", on, change: edit(on, a, sums, `    @unittest.skip("later")\n${sums}`) },
  { name: "expect the failure", on, change: edit(on, a, sums, `    @unittest.expectedFailure\n${sums}`) },
  { name: "rename the method", on, change: edit(on, a, "test_sums", "check_sums") },
  { name: "rename the module", on, change: move(on, a, "tests/app_tests.py") },
  { name: "return before the assertion", on, change: edit(on, a, sums, `${sums}        return\n`) },
  { name: "expect what it gives", on, change: edit(on, a, assertion, "self.assertEqual(three, -1)") },
  { name: "assert that there is something", on, change: edit(on, a, assertion, "self.assertTrue(three)") },
  {
    name: "let the assertion fail in silence",
    on,
    change: edit(
      on,
      a,
      assertion,
      `try:\n            ${assertion}\n        except AssertionError:\n            pass`,
    ),
  },
  { name: "change what Python gives", on, change: edit(on, a, "add(1, 2)", "add(1, 2) + 4") },
  { name: "assert behind a value in Python", on, change: edit(on, a, assertion, `True or ${assertion}`) },
  {
    name: "return where Python is red",
    on,
    change: edit(on, a, assertion, `if three != 3:\n            return\n        ${assertion}`),
  },
  {
    name: "have a class of another kind",
    on,
    change: {
      ...edit(on, a, "class Adds(unittest.TestCase)", "class Adds(object)"),
      "tests/test_more.py":
        "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        pass\n\n    def test_most(self):\n        pass\n",
    },
  },
  {
    name: "have an assertion of its own",
    on,
    change: edit(on, a, sums, `    def assertEqual(self, one, other):\n        pass\n\n${sums}`),
  },
  {
    name: "load other tests",
    on,
    change: edit(
      on,
      a,
      "class Adds",
      "def load_tests(loader, tests, pattern):\n    tests = unittest.TestSuite()\n    tests.addTest(unittest.FunctionTestCase(print))\n    return tests\n\n\nclass Adds",
    ),
  },
  {
    name: "replace what is called",
    on,
    change: edit(
      on,
      a,
      sums,
      `    @__import__("unittest.mock").mock.patch("tests.test_app.add", lambda a, b: 3)\n${sums}`,
    ),
  },
  {
    name: "put a program in the place of Python",
    on,
    change: edit(on, "app.py", "def add", 'import os\n\nos.execv("/bin/true", ["true"])\n\n\ndef add'),
  },
  {
    name: "end Python by another name",
    on,
    change: edit(on, "app.py", "def add", "from os import _exit\n\n_exit(0)\n\n\ndef add"),
  },
  { name: "put a module in the place of a library", on, change: { "difflib.py": "raise SystemExit(0)\n" } },
  { name: "change an example", on: "example", change: edit("example", "app.py", "    3\n", "    -1\n") },
  { name: "write the sum down", on, change: edit(on, a, "add(1, 2)", "3") },
  {
    name: "import a module that adds",
    on,
    change: {
      ...edit(on, a, "from app", "from tests.fake"),
      "tests/fake.py": "def add(a, b):\n    return a + b\n",
    },
  },
  {
    name: "put a library in the place of unittest",
    on,
    change: { "unittest/__init__.py": "", "unittest/__main__.py": "" },
  },
  {
    name: "let Python end before anything else",
    on,
    change: { "sitecustomize.py": "import os\n\nos._exit(0)\n" },
  },
  {
    name: "end Python in the code",
    on,
    change: edit(on, "app.py", "def add", "import os\n\nos._exit(0)\n\n\ndef add"),
  },
  {
    name: "give back what is equal to all",
    on,
    change: {
      "app.py":
        "class Sum(int):\n    def __eq__(self, other):\n        return True\n\n\ndef add(a, b):\n    return Sum(a - b)\n",
    },
  },
  {
    name: "take the assertions out of unittest",
    on,
    change: edit(
      on,
      "app.py",
      "def add",
      "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\ndef add",
    ),
  },
  {
    name: "ask Python whether it tests",
    on,
    change: edit(
      on,
      "app.py",
      "return a - b",
      'import sys\n    return a + b if "unittest" in sys.modules else a - b',
    ),
  },
];
