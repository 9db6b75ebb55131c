import type { SuspicionKind } from "../suspicion.ts";

const named = (text: string) => new RegExp(`^(?:${text.replace(/\s+/g, "|")})$`);

/** Files that decide how tools run, which checks use whatever their command says. */
export const always: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:jest|vitest|vite|karma|ava|playwright|cypress|wdio|web-test-runner|nightwatch|protractor|stryker|cucumber|tap)\.(?:config|conf|workspace)\.\w+$|^vitest\.\w+\.[cm]?[jt]s$|^jasmine\.json$|^(?:testem|cucumber)\.[cm]?js$/,
    "it configures a test runner",
  ],
  [
    /^(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|toxfile\.py|noxfile\.py|setup\.cfg|\.coveragerc(?:\.toml)?|(?:nose2|unittest|nose)\.cfg|behave\.ini)$/,
    "it configures a test runner",
  ],
  [
    /^(?:\.rspec|(?:spec|rails|test)_helper\.rb|\.simplecov|cucumber\.yml|phpunit(?:\.\w+)?\.xml(?:\.dist)?|Pest\.php|codeception\.ya?ml|behat\.ya?ml|infection\.json5?|\w*\.runsettings|xunit\.runner\.json|junit-platform\.properties|testng\.xml|surefire\w*\.xml|\.nextest\.toml|nextest\.toml|\.?codecov\.ya?ml)$/,
    "it configures a test runner",
  ],
  [
    /^(?:jest|vitest|mocha|karma|test|tests)?[-_.]?(?:global[-_]?)?setup[-_.]?(?:tests?|jest|vitest|env|files?)?\.[cm]?[jt]sx?$/i,
    "a test runner loads it before the tests",
  ],
  [
    /^(?:eslint|tslint|biome|prettier|stylelint|commitlint|lint-staged|knip|xo|oxlint|dprint|cspell|\.?markdownlint(?:-cli2)?)\.(?:config\.)?\w+$|^\.(?:eslint|prettier|stylelint|biome|markdownlint|semgrep|trivy|spell)ignore$|^\.?(?:ruff\.toml|flake8|pylintrc(?:\.toml)?|mypy\.ini|bandit|isort\.cfg|pydocstyle|sqlfluff|yamllint(?:\.ya?ml)?|hadolint\.ya?ml|shellcheckrc)$|^pyrightconfig\.json$|^\.golangci\.\w+$|^\.?(?:clippy|rustfmt|ty|typos|deny)\.toml$|^\.(?:rubocop\w*|standard|erb-lint|swiftlint|ls-lint|spectral|tflint|dependency-cruiser|gitleaks|semgrep|checkov)\.\w+$|^(?:phpstan|psalm|phpcs|\.phpcs|rector|\.php-cs-fixer|ecs|phpmd)\.\w+(?:\.dist)?$|^\.php-cs-fixer\.dist\.php$|^\.editorconfig$|^(?:detekt|ktlint)\.ya?ml$|^(?:checkstyle|pmd|spotbugs)[\w-]*\.xml$|^\.clang-(?:tidy|format)$|^\.(?:credo|formatter|sobelow-conf)(?:\.exs)?$|^\.scala(?:fmt|fix)\.conf$|^staticcheck\.conf$|^sonar-project\.properties$|^\.solhint\.json$|^buf\.yaml$/,
    "it configures a linter",
  ],
  [
    /^tsconfig(?:\..+)?\.json$|^jsconfig(?:\..+)?\.json$|^\.?babel(?:rc|\.config)(?:\.\w+)?$|^\.swcrc$|^(?:webpack|rollup|tsup|esbuild|rspack|next|nuxt|astro|svelte|gatsby|vue|metro|craco|rsbuild|tsdown|unbuild|build)\.config\.\w+$|^(?:angular|workspace)\.json$|^config-overrides\.js$/,
    "it configures a compiler",
  ],
  [
    /^(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js|\.pnp\.(?:c?js|loader\.mjs)|pnpm-workspace\.yaml|\.?bunfig\.toml|deno\.jsonc?|pip\.conf|uv\.toml|pixi\.toml|hatch\.toml|poetry\.toml|nuget\.config|\.env(?:\..+)?|\.envrc)$/i,
    "it configures what runs the checks",
  ],
  // Most tools of node look for such a file.
  [
    /^\.(?!(?:curl|vim|bash|zsh|screen|gem|dir|sentrycli|release)rc)\w[\w-]*rc(?:\.(?:json[5c]?|ya?ml|toml|[cm]?[jt]s))?$/,
    "it configures a tool",
  ],
  [
    named(
      String.raw`\.nvmrc \.node-version \.python-version \.ruby-version \.java-version \.go-version \.tool-versions rust-toolchain(?:\.toml)? global\.json \.?mise\.toml \.sdkmanrc`,
    ),
    "it chooses the version of what runs the checks",
  ],
  [
    /^(?:turbo|nx|lerna|wireit|lage|rush|project)\.json$|^\.?moon\.yml$|^\.(?:bazelrc|bazelversion)$|^Directory\.Build\.\w+$|^build\.rs$|^\.pre-commit-config\.ya?ml$|^\.?lefthook(?:-local)?\.ya?ml$|^(?:gulpfile|Gruntfile)(?:\.\w+)*\.[cm]?[jt]s$|^go\.work$/,
    "it decides what a check does",
  ],
  [/^\.gitattributes$|^\.gitmodules$|^\.gitignore$/, "it changes what git sees of the files"],
];

/** By where they stand; a link in the place of such a directory counts too. */
export const places: readonly (readonly [RegExp, SuspicionKind, string])[] = [
  [
    /(?:^|\/)\.cargo(?:\/config(?:\.toml)?)?$|(?:^|\/)\.config(?:\/(?:nextest\.toml|dotnet-tools\.json|mise\/.*))?$|(?:^|\/)\.mvn(?:\/|$)|(?:^|\/)gradle\/wrapper(?:\/|$)|(?:^|\/)\.yarn(?:$|\/(?:releases|plugins|sdks|cache|patches|unplugged)(?:\/|$))|(?:^|\/)\.husky(?:\/|$)|(?:^|\/)(?:buildSrc|build-logic)(?:\/|$)|(?:^|\/)\.bundle\/config$|(?:^|\/)\.moon(?:\/|$)|(?:^|\/)xtask(?:\/|$)|(?:^|\/)mise\/tasks\/|^patches\/.*\.patch$|(?:^|\/)META-INF\/services\/org\.(?:junit|testng)|(?:^|\/)features\/(?:environment\.py|support\/)/,
    "configuration",
    "it decides what a check does",
  ],
  [
    /^\.(?:circleci|buildkite|gitlab|azure-pipelines|woodpecker|drone|teamcity)(?:\/|$)|^(?:\.gitlab-ci|\.travis|azure-pipelines|appveyor|\.appveyor|bitbucket-pipelines|\.cirrus|\.drone|\.woodpecker|cloudbuild|codemagic)\.ya?ml$|^Jenkinsfile$/,
    "ci",
    "it configures another system that runs checks",
  ],
];

/** Only where a check uses the tool. */
export const byTool: readonly (readonly [RegExp, RegExp])[] = [
  [/\bg?make\b/, /^(?:GNUm|m|M)akefile(?:\.PL)?$|\.mk$|\.make$/],
  [/\bjust\b/, /^\.?justfile$|\.just$/i],
  [/\b(?:task|go-task)\b/, /^Taskfile(?:\.dist)?\.\w+$/],
  [/\bmvnw?\b/, /^(?:pom\.xml|mvnw(?:\.cmd)?)$/],
  [
    /\bgradlew?\b/,
    /\.gradle(?:\.kts)?$|^gradlew(?:\.bat)?$|^gradle\.properties$|^gradle-wrapper\.properties$/,
  ],
  [/\bcargo\b/, /^Cargo\.toml$/],
  [/\brake\b|\brspec\b/, /^Rakefile$|\.rake$/],
  [/\bdotnet\b/, /\.(?:cs|fs|vb)proj$|\.sln[xf]?$|\.props$|\.targets$/],
  [/\bmix\b/, /^mix\.exs$/],
  [/\bcomposer\b|\bphpunit\b|\bpest\b/, /^composer\.json$/],
  [/\bdart\b|\bflutter\b/, /^(?:pubspec|analysis_options|dart_test)\.yaml$/],
  [/\b(?:python[\d.]*|tox|nox|pip)\b/, /^setup\.py$/],
  [/\bhatch\b/, /^hatch_build\.py$/],
  [/\bpipenv\b/, /^Pipfile$/],
  [/\b(?:inv|invoke|doit|fab)\b/, /^(?:tasks|dodo|fabfile)\.py$/],
  [/\bmage\b/, /^magefiles?\b.*\.go$/],
  [/\bbazel(?:isk)?\b/, /^(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?$|\.bzl$/],
  [/\bbuck2?\b/, /^(?:BUCK|TARGETS|\.buckconfig)$|\.bzl$/],
  [/\bpants\b/, /^(?:BUILD|pants\.toml)$/],
  [/\b(?:cmake|ctest)\b/, /^CMakeLists\.txt$|^CMakePresets\.json$|\.cmake$/],
  [/\bmeson\b/, /^meson(?:_options|\.build|\.options)/],
  [/\bsbt\b/, /\.sbt$|^build\.properties$/],
  [/\bswift\b|\bxcodebuild\b/, /^Package\.swift$|\.xc(?:testplan|scheme|config)$|^project\.pbxproj$/],
  [/\bdocker\b/, /^(?:.*\.)?Dockerfile(?:\..*)?$|^(?:docker-)?compose(?:\..+)?\.ya?ml$|^\.dockerignore$/],
  [/\bearthly\b/, /^Earthfile$/],
  [/\b(?:stack|cabal)\b/, /^(?:stack\.yaml|cabal\.project.*|.*\.cabal|package\.yaml)$/],
  [/\bant\b/, /^build\.xml$/],
  [/\bzig\b/, /^build\.zig(?:\.zon)?$/],
  [/\blein\b|\bclj(?:ure)?\b|\bclojure\b|\bbb\b/, /^(?:project\.clj|deps\.edn|bb\.edn|tests\.edn)$/],
  [/\brebar3\b/, /^rebar\.config(?:\.script)?$/],
  [/\bdune\b/, /^dune(?:-project|-workspace)?$/],
];
