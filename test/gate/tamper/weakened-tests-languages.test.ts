import { describe, expect, it } from "vitest";
import { edit, type Sides, weakened } from "../given-change.ts";

const py = `import unittest
from app import add


def test_adds():
    assert add(1, 2) == 3, "sum"


class Other(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(add(0, 0), 0)
`;
const go = `package a

import "testing"

func TestAdd(t *testing.T) {
	for _, c := range []struct{ a, b, want int }{
		{1, 2, 3},
		{0, 0, 0},
	} {
		if got := Add(c.a, c.b); got != c.want {
			t.Errorf("got %d", got)
		}
	}
}
`;
const rust = `pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
`;
const java = `class AddTest {
  @Test
  void adds() {
    assertEquals(3, Add.add(1, 2));
  }
}
`;
const ruby = `RSpec.describe Add do
  it "adds" do
    expect(add(1, 2)).to eq(3)
  end
end
`;

const weaker: readonly (readonly [string, Readonly<Record<string, Sides>>, readonly string[]])[] = [
  [
    "pytest.mark.skip",
    { "tests/test_app.py": edit(py, "def test_adds", "@pytest.mark.skip\ndef test_adds") },
    ["test-skipped"],
  ],
  [
    "xfail",
    { "tests/test_app.py": edit(py, "def test_adds", "@pytest.mark.xfail(strict=False)\ndef test_adds") },
    ["test-skipped"],
  ],
  [
    "unittest.skip",
    { "tests/test_app.py": edit(py, "    def test_zero", '    @unittest.skip("later")\n    def test_zero') },
    ["test-skipped"],
  ],
  [
    "a renamed test function",
    { "tests/test_app.py": edit(py, "def test_adds", "def check_adds") },
    ["test-removed"],
  ],
  ["another value in Python", { "tests/test_app.py": edit(py, "== 3", "== -1") }, ["expectation-changed"]],
  ["another operator in Python", { "tests/test_app.py": edit(py, "== 3", "!= 3") }, ["expectation-changed"]],
  [
    "assert True",
    { "tests/test_app.py": edit(py, "assert add(1, 2) == 3", "assert True") },
    ["assertions-removed", "assertions-removed"],
  ],
  [
    "except: pass",
    {
      "tests/test_app.py": edit(
        py,
        '    assert add(1, 2) == 3, "sum"',
        '    try:\n        assert add(1, 2) == 3, "sum"\n    except AssertionError:\n        pass',
      ),
    },
    ["may-not-run", "failure-swallowed"],
  ],
  [
    "t.Skip",
    { "a_test.go": edit(go, "testing.T) {\n", 'testing.T) {\n\tt.Skip("later")\n') },
    ["test-skipped"],
  ],
  ["a build tag", { "a_test.go": [go, `//go:build ignore\n\n${go}`] }, ["test-skipped"]],
  ["another row in Go", { "a_test.go": edit(go, "{1, 2, 3}", "{1, 2, -1}") }, ["expectation-changed"]],
  [
    "another condition in Go",
    { "a_test.go": edit(go, "got != c.want", "got != 3") },
    ["expectation-changed"],
  ],
  ["a lower case in Go", { "a_test.go": edit(go, "func TestAdd", "func testAdd") }, ["test-removed"]],
  ["#[ignore]", { "tests/add.rs": edit(rust, "#[test]", "#[test]\n    #[ignore]") }, ["test-skipped"]],
  ["another value in Rust", { "tests/add.rs": edit(rust, "2), 3)", "2), -1)") }, ["expectation-changed"]],
  [
    "a Rust test beside its code",
    { "src/add.rs": edit(rust, "#[test]\n", "#[test]\n    #[ignore]\n") },
    ["test-skipped"],
  ],
  [
    "@Disabled",
    { "src/test/java/AddTest.java": edit(java, "@Test", "@Test\n  @Disabled") },
    ["test-skipped"],
  ],
  [
    "another value in Java",
    { "src/test/java/AddTest.java": edit(java, "assertEquals(3", "assertEquals(-1") },
    ["expectation-changed"],
  ],
  [
    "xit in Ruby",
    { "spec/add_spec.rb": edit(ruby, 'it "adds"', 'xit "adds"') },
    ["test-removed", "test-skipped"],
  ],
  ["another value in Ruby", { "spec/add_spec.rb": edit(ruby, "eq(3)", "eq(-1)") }, ["expectation-changed"]],
  [
    "a turned condition in Go",
    { "a_test.go": edit(go, "got != c.want", "got == c.want") },
    ["expectation-changed"],
  ],
  [
    "a condition in Go that is always false",
    { "a_test.go": edit(go, "got != c.want", "got != got") },
    ["expectation-changed"],
  ],
];

const asStrong: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  ["a message in Python", { "tests/test_app.py": edit(py, '"sum"', '"the sum"') }],
  ["a new row in Go", { "a_test.go": edit(go, "{0, 0, 0},", "{0, 0, 0},\n\t\t{2, 2, 4},") }],
  [
    "a new test in Rust beside its code",
    {
      "src/add.rs": edit(
        rust,
        "    #[test]\n",
        "    #[test]\n    fn zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n\n    #[test]\n",
      ),
    },
  ],
  [
    "a renamed variable in Go",
    { "a_test.go": edit(go, "got := Add(c.a, c.b); got != c.want", "sum := Add(c.a, c.b); sum != c.want") },
  ],
];

describe("weakenedTests in other languages", () => {
  it.each(weaker)("finds %s", (_, files, kinds) => {
    expect(weakened(files).map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each(asStrong)("lets pass %s", (_, files) => {
    expect(weakened(files)).toEqual([]);
  });
});
