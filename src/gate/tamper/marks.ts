import type { Family } from "../code.ts";
import type { SuspicionKind } from "../suspicion.ts";
import { isNamedTest, isTest } from "../test-paths.ts";

/** What a reader of code should not miss, whatever else the code does. */
export type Mark = {
  readonly kind: SuspicionKind;
  readonly why: string;
  /** What is searched: the whole text, what is code of it, or that without what stands in strings. */
  readonly in: "text" | "code" | "bare";
  /** Left out: all of them. */
  readonly families?: readonly Family[];
  readonly isFor?: (path: string) => boolean;
  readonly pattern: RegExp;
};

const isSource = (path: string) => !isTest(path) && !/\.config\.\w+$/.test(path);
const isProduct = (path: string) => isSource(path) && !/test|spec|mock|fixture/i.test(path);
/** There it says that a type is refused, and the compiler fails where it is not. */
const isTypeTest = /\.(?:tst|test-d)\.[cm]?tsx?$/;
const either = (flags: string, ...patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join("|"), flags);

const switchedOff =
  "a message of a linter or a compiler, or the measuring of coverage, is switched off in it";
const ends = "a process that a check may run ends with exit code 0, or hides its own";
const changes = "it changes a runner, or a library that tests rely on, while it runs";
const equals = "its values are equal to everything";
const tells = "code that is no test can tell that it is being tested";

/** What runners and the machines of checks set, under whatever name it is read. */
const environment =
  /["'`.](?:VITEST(?:_\w+)?|JEST_WORKER_ID|JEST_\w+|MOCHA_\w+|NODE_TEST_CONTEXT|NODE_V8_COVERAGE|PYTEST_\w+|NEXTEST\w*|BAZEL_TEST\w*|TEST_(?:TMPDIR|SRCDIR|WORKER_INDEX)|GITHUB_ACTIONS|npm_lifecycle_\w+|PLAYWRIGHT_TEST\w*)\b/;

/** All that are looked for, in the order in which they are told. */
export const marks: readonly Mark[] = [
  {
    ...{ kind: "suppression", why: switchedOff, in: "text" },
    pattern: either(
      "gm",
      /\b(?:eslint|tslint|stylelint|oxlint|swiftlint|swiftformat|htmlhint|ktlint|cspell|credo|yamllint|markdownlint)[:-]disable|\b(?:biome|deno-lint|prettier|dprint|cspell|knip)[:-]ignore|\brubocop:(?:disable|todo)|\bshellcheck\s+disable|\b(?:yamllint|hadolint|tflint|checkov|trivy|sonar)[\s:-]+(?:disable|ignore|skip)/,
      /@ts-(?:ignore|nocheck)\b|\bdeclare\s+module\s+["'`]\*+["'`]|\/\*\s*eslint\s+[\w@/-]+\s*:|\bjshint\s+ignore|\bnosemgrep\b|\bNOSONAR\b|\b(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)/,
      /#\s*(?:flake8:\s*)?noqa\b|#\s*nosec\b|#\s*(?:type|pyright|mypy|pylint|ruff|fmt|isort|ty)\s*:|#\s*pragma:\s*no (?:cover|mutate)|@(?:typing\.)?no_type_check\b|#\s*:nocov:|^#\s*typed:\s*(?:false|ignore)\b/,
      /#!?\[(?:allow|expect)\(|#!?\[(?:coverage\(off|rustfmt::skip)|#!?\[cfg_attr\([^\n]{0,200}\ballow\(|\/\/\s*nolint\b|\/\/\s*NOLINT|\/\/\s*lint:ignore\b|#nosec\b|#pragma\s+(?:warning\s+disable|GCC\s+diagnostic\s+ignored|clang\s+diagnostic\s+ignored)|\b(?:LCOV|GCOVR?)_EXCL|^[ \t]*#nullable\s+disable/,
      /@Suppress(?:Warnings|FBWarnings|Lint)?\b|@file:Suppress\b|@nowarn\b|\b(?:scalastyle|scalafix|CHECKSTYLE|clang-format):?\s*:?\s*(?:off|OFF)\b|\bCOVERAGE-OFF\b|\[(?:assembly:\s*)?(?:SuppressMessage|ExcludeFromCodeCoverage)\b|\bnoinspection\b|\bphpcs:(?:ignore|disable)|@phpstan-ignore|@(?:psalm|phan)-suppress|@codeCoverageIgnore/,
    ),
  },
  {
    ...{ kind: "suppression", why: switchedOff, in: "text", families: ["js"] },
    isFor: (path) => !isTypeTest.test(path),
    pattern: /@ts-expect-error\b/g,
  },
  {
    ...{ kind: "early-exit", why: ends, in: "code", families: ["js"] },
    pattern: either(
      "g",
      // Whatever is no number but 0: `process.exit(+false)`.
      /\bprocess\.(?:exit|reallyExit)\(\s*(?!\s*-?[1-9]\d*\s*\))(?:[^\w$()]|\d|\bfalse\b|\bnull\b|\bundefined\b|\bvoid\b|\b(?:Number|parseInt|Boolean)\([^()\n]{0,40}\)){0,40}\)/,
      /\bprocess\.(?:exit|reallyExit)\.(?:call|apply|bind)\(|,\s*process\.(?:exit|reallyExit)\s*\)|\bReflect\.\w+\(\s*process\b/,
      /\bprocess\.exitCode\s*(?:\?\?|\|\||&&|&|\*)?=\s*(?:0|undefined|null|void 0)\b|\bprocess\.(?:on|once|addListener|prependListener|prependOnceListener)\(\s*["'`](?:exit|beforeExit|uncaughtException|unhandledRejection|uncaughtExceptionMonitor)|\bprocess\.(?:removeAllListeners|setUncaughtExceptionCaptureCallback|execve)\(|\bprocess\.emit\(\s*["'`](?:exit|beforeExit)/,
      /\bprocess\.kill\(\s*process\.p?pid|\b(?:Deno|Bun)\.exit\(\s*0?\s*\)|(?<![\w$.])exit\(\s*0\s*\)/,
      // By another name.
      /\{[^{}\n]{0,200}\b(?:exit|reallyExit|exitCode)\b[^{}\n]{0,200}\}\s*(?:=\s*(?:globalThis\.|global\.)?process\b|from\s*["'](?:node:)?process\b["'])|\b(?:const|let|var)\s+\w+\s*=\s*(?:globalThis\.|global\.)?process\s*[;,\n]|\bimport\s+(?:\*\s*as\s+)?(?!process\b)\w+\s+from\s*["'](?:node:)?process\b["']|\bprocess\s*\[|\b(?:globalThis|global)\s*\[(?!\s*["'`])/,
    ),
  },
  {
    ...{ kind: "early-exit", why: ends, in: "code", families: ["python"] },
    pattern: either(
      "gm",
      /\b(?:sys\.exit|exit|quit|SystemExit|pytest\.exit)\(\s*(?:0|None|False|"")?\s*\)|(?<!self\.)\b_exit\(|["']_exit["']|\bimport\s[^\n]{0,200}\b_exit\b|\braise SystemExit\s*$|\batexit\.(?:register|unregister)\b|\bsession\.exitstatus\s*=|\bfrom\s+sys\s+import\s[^\n]{0,200}\bexit\s+as\b/,
      /\bos\.exec[lv]\w*\(|\bsys\.exitfunc\b|\bthreading\._shutdown\b/,
    ),
  },
  {
    ...{ kind: "early-exit", why: ends, in: "code", families: ["go", "rust", "other"] },
    pattern: either(
      "g",
      /\b(?:os|syscall)\.Exit\(0\)|\bsyscall\.Exec\(|\bprocess::exit\(0\)|\b(?:System\.exit|Environment\.Exit|_?_?exit|_Exit|quick_exit|exitProcess|die)\(\s*(?:0|EXIT_SUCCESS)?\s*\)|\bEnvironment\.ExitCode\s*=\s*0|\.halt\(0\)|\bSystem\.stop\(0?\)/,
    ),
  },
  {
    ...{ kind: "early-exit", why: ends, in: "code", families: ["other"] },
    isFor: (path) => path.endsWith(".php"),
    pattern: /^[ \t]*(?:exit|die)[ \t]*;/gm,
  },
  {
    ...{ kind: "early-exit", why: ends, in: "code", families: ["ruby"] },
    pattern:
      /^[ \t]*(?:Kernel\.|Process\.)?exit!?(?:[ \t]*\(?[ \t]*(?:0|true)[ \t]*\)?)?[ \t]*(?:$|\bif\b|\bunless\b)|\bat_exit\b|\b(?:Kernel|Process)\.exit!?(?!\w|!|\s*\(?\s*(?:[1-9]|false|\w+\.))|^[ \t]*exec\b/gm,
  },
  {
    ...{ kind: "early-exit", why: "its tests run only where it calls them", in: "bare", families: ["go"] },
    pattern: /^func[ \t]+TestMain\(/gm,
  },
  {
    ...{ kind: "stand-in", why: changes, in: "code", families: ["js"] },
    pattern: either(
      "g",
      /(?<![\w.])(?:assert|expect|chai)(?:\.\w+)*\.\w+\s*=(?![=>])|\b(?:globalThis|global|window)\.(?:assert|expect|test|it|describe|process|require)\s*=(?!=)|\bObject\.(?:defineProperty|defineProperties|assign|setPrototypeOf)\(\s*(?:assert|expect|chai|process|globalThis|global|Object|Array|String|Number|Module)(?:\.prototype)?\s*,|\b(?:Object\.is|JSON\.stringify|Array\.isArray|process\.(?:exit|on|emit|reallyExit|abort|kill|(?:stdout|stderr)\.write))\s*=(?!=)|\b(?:Array|Object|String|Number|Error|Promise|Function|AssertionError)\.prototype\.\w+\s*=(?!=)|\bModule\._\w+|\b(?:module|Module)\.register(?:Hooks)?\(|\bregisterHooks\(|\bmock\.module\(\s*["'`](?:node:)?(?:assert|test)/,
      /\b(?:spyOn|stub|replace|mock\.(?:method|getter|property))\(\s*(?:assert|expect|chai|process)\b|\bstubGlobal\(\s*["'`](?:expect|assert|test|it|describe|process)\b|\btask\.result(?:\.\w+)?\s*=(?!=)|\bcurrentTest\.\w+\s*=(?!=)|\boverwrite(?:Method|Property|ChainableMethod)\(|\bexpect\.extend\(\s*\{[\s\S]{0,400}?\bto(?:Be|Equal|StrictEqual|Match|MatchObject|Throw|ThrowError|Contain|ContainEqual|HaveLength|HaveProperty|BeTruthy|BeFalsy|BeNull|BeUndefined|BeDefined|HaveBeenCalled(?:With|Times)?|MatchSnapshot|MatchInlineSnapshot)\s*[(:]/,
    ),
  },
  {
    ...{
      kind: "stand-in",
      why: "it has its own of what the test runner gives",
      in: "bare",
      families: ["js"],
    },
    isFor: isNamedTest,
    pattern:
      /\bfunction\s*\*?\s*(?:expect|assert|it|test|describe)\s*\(|\b(?:const|let|var)\s+(?:expect|assert|it|test|describe)\s*=\s*(?:async\b|function\b|\(|\w+\s*=>|\w+\.(?:skip|todo)\b)|\bclass\s+(?:expect|assert)\b/g,
  },
  {
    ...{ kind: "stand-in", why: changes, in: "code", families: ["python"] },
    pattern: either(
      "g",
      /\bsys\.modules\[|\bbuiltins\.\w+\s*=(?!=)|\bsetattr\(\s*builtins\b|\b(?:TestCase|TestResult|TextTestResult|TestSuite|TestLoader|TestRunner)\.\w+\s*=(?!=)|\b(?:unittest|pytest|_pytest)(?:\.\w+)*\.\w+\s*=(?!=)|\bsys\.(?:meta_path|path_hooks|settrace|setprofile|excepthook)\b|\brep(?:ort)?\.outcome\s*=(?!=)|\bgc\.get_(?:objects|referrers)\(/,
      /\bdef pytest_\w+|\bdef load_tests\b|\bpytest_plugins\s*=|\bdef (?:assert(?:Equals?|NotEqual|True|False|Is(?:Not)?|IsNone|IsNotNone|In|NotIn|IsInstance|Raises(?:Regex)?|AlmostEqual|Greater(?:Equal)?|Less(?:Equal)?|Regex|CountEqual|(?:MultiLine|Sequence|List|Tuple|Set|Dict)Equal)|_callTestMethod)\(\s*self\b[^\n]{0,200}:\s*\n\s*(?:pass|return|\.\.\.)|\bdef run\(\s*self,\s*result/,
      /(?:patch(?:\.object)?|setattr)\(\s*(?:["'](?:unittest\.(?!mock)|pytest\.|_pytest\.)|(?:unittest|pytest|TestCase|\w+\.TestCase)\b)/,
    ),
  },
  {
    ...{ kind: "stand-in", why: "it runs text as code, and what that does is not seen", in: "code" },
    families: ["js", "python"],
    pattern:
      /(?<![\w$.])(?:eval|exec)\(|\bnew\s+Function\(|(?<![\w$.])Function\(\s*["'`]|\b__import__\(\s*["'](?:os|sys|base64)/g,
  },
  {
    ...{ kind: "stand-in", why: "it writes or deletes tests while it runs", in: "code" },
    pattern:
      /\b(?:writeFile|appendFile|copyFile|truncate|unlink|rename|rm|cp|symlink)(?:Sync)?\([^\n]{0,150}["'`/](?:[^"'`\n]{0,100}\.(?:test|spec)\.|(?:tests?|__tests__|specs?|conftest)(?:\/|\.py))|\b(?:os\.(?:remove|unlink|rename|replace)|shutil\.(?:rmtree|move|copy\w*))\([^\n]{0,100}["'](?:[^"'\n]{0,100}\/)?(?:tests?\/|conftest\.py|test_\w+\.py)|\b(?:open|Path)\(\s*["'](?:[^"'\n]{0,100}\/)?(?:tests?\/|conftest\.py|test_\w+\.py)[^\n]{0,100}(?:["'][wa]["']|\)\.(?:write_text|write_bytes|unlink))/gm,
  },
  {
    ...{ kind: "stand-in", why: "it writes code while it is tested", in: "code" },
    isFor: isTest,
    pattern:
      /\b(?:writeFile|appendFile)(?:Sync)?\(\s*(?:new URL\(\s*)?["'`](?:\.{1,2}\/)*(?:src|lib|app)\/|\bopen\(\s*["'](?:src|lib|app)\/[^"'\n]{0,100}["']\s*,\s*["'][wa]/g,
  },
  {
    ...{ kind: "stand-in", why: equals, in: "code", families: ["python"] },
    pattern:
      /\bdef __(?:eq|ne)__\([^)]{0,200}\)[^:\n]{0,200}:\s*\n?\s*return (?:True|1)\b|\b__(?:eq|ne)__\s*=\s*lambda\b[^\n]{0,100}:\s*(?:True|1)\b/g,
  },
  {
    ...{ kind: "stand-in", why: equals, in: "code", families: ["rust", "ruby", "other"] },
    pattern:
      /\bfn eq\(&self[^)]{0,200}\)\s*->\s*bool\s*\{\s*true\s*\}|\bboolean equals\(\w+ \w+\)\s*\{\s*return true;|\bbool Equals\(\w+\?? \w+\)\s*(?:=>\s*true|\{\s*return true;)|\bdef ==\(\w+\)\s*(?:=\s*)?true/g,
  },
  {
    ...{ kind: "knows-test", why: tells, in: "code" },
    isFor: isSource,
    pattern: either(
      "g",
      environment,
      /\bprocess\.env\.(?:CI|TEST|TESTING|MOCHA|npm_config_user_agent)\b|\{[^{}\n]{0,200}\b(?:CI|VITEST|JEST_WORKER_ID|NODE_TEST_CONTEXT|GITHUB_ACTIONS)\b[^{}\n]{0,200}\}\s*=\s*(?:globalThis\.|global\.)?process\.env\b|\bNODE_ENV\b["'`\]]*\s*[!=]==?\s*["'`]test|\bimport\.meta\.(?:vitest|env\.(?:TEST|VITEST))\b|\b(?:process\.argv|execArgv)\b[^\n]{0,200}(?:test|jest|mocha)|\.stack\b[^\n]{0,200}(?:test|spec)|\bError\.prepareStackTrace\b|\btypeof (?:globalThis\.|global\.)?(?:describe|it|jest|vi|expect)\b|\b__vitest_\w+|\bprocess\.ppid\b|["'`]\/home\/baton\b/,
      /\bsys\.modules\b(?!\[)|\bsys\._(?:getframe|current_frames)\b|\binspect\.(?:stack|currentframe)\(|\btraceback\.(?:extract|format)_stack\(|\bsys\.argv\b[^\n]{0,200}test|\benviron\b[^\n]{0,200}["'](?:CI|TESTING|PYTEST\w*)["']/,
      /\btesting\.Testing\(\)|\bflag\.Lookup\("test|\bos\.Args\[0\][^\n]{0,100}test|["']\.test["']\s*\)|\bruntime\.Callers?\([\s\S]{0,300}?test|\bcfg!\(test\)|\b(?:getenv|Getenv|LookupEnv|GetEnvironmentVariable|env::var(?:_os)?|ENV\.fetch|ENV\.key\?|env)\(\s*["'](?:CI|TESTING|RAILS_ENV)["']|\bENV\[["'](?:CI|RAILS_ENV)["']\]|\bdefined\?\(\s*(?:RSpec|Minitest|Test)\b|\bdefined\(\s*["']PHPUNIT|\bclass_exists\(\s*["']\\{0,4}PHPUnit|\b(?:debug_backtrace\(|getStackTrace\(\)|StackWalker\b|new StackTrace\(|Environment\.StackTrace\b)[\s\S]{0,300}?(?:test|junit)|\bforName\(\s*"org\.(?:junit|testng)/,
    ),
  },
  {
    ...{ kind: "knows-test", why: "code that is no test uses a test runner", in: "code" },
    isFor: isProduct,
    pattern:
      /\b(?:from|import|require\()\s*["'](?:node:test|vitest|@jest\/globals|mocha|ava|bun:test)["']|^[ \t]*(?:import|from)[ \t]+(?:_?pytest|unittest)\b(?!\.mock)/gm,
  },
];
