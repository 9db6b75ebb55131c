/** Source text in two forms of the same length, so that a place in one is the same place in the other. */
export type Code = {
  readonly family: Family;
  /** Comments are blank. */
  readonly code: string;
  /** Comments, and what is inside of strings, are blank. */
  readonly bare: string;
};

/** Languages whose tests are written alike. */
export type Family = "js" | "python" | "go" | "rust" | "ruby" | "shell" | "other";

const families: readonly (readonly [Family, RegExp])[] = [
  ["js", /\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/],
  ["python", /\.pyi?$/],
  ["go", /\.go$/],
  ["rust", /\.rs$/],
  ["ruby", /\.(?:rb|rake|gemspec)$|(?:^|\/)Rakefile$/],
  ["shell", /\.(?:sh|bash|zsh|bats|ya?ml|toml|cfg|ini|mk|pl)$|(?:^|\/)(?:\w*[Mm]akefile|\.?justfile)$/],
  ["other", /\.(?:java|kts?|cs|fs|php|swift|scala|groovy|gradle|dart|c|cc|cpp|h|hpp|m|exs?)$/],
];

/** Null where the name tells no language. */
export function familyOf(path: string): Family | null {
  return families.find(([, name]) => name.test(path))?.[0] ?? null;
}

const quotes = String.raw`"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?`;
const slashed = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))`;
// A slash begins a regular expression only where a value may begin.
const expression = String.raw`(?<=(?:^|[(,=:[!&|?{};\n]|\breturn)[ \t]*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,100}\]|[^/\\\n[]){1,200}\/`;

const tokens: Readonly<Record<Family, string>> = {
  js: `(?<comment>${slashed})|(?<text>${quotes}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`?|${expression})`,
  python: `(?<comment>#[^\\n]*)|(?<text>"""[\\s\\S]*?(?:"""|(?![\\s\\S]))|'''[\\s\\S]*?(?:'''|(?![\\s\\S]))|${quotes})`,
  go: `(?<comment>${slashed})|(?<text>${quotes}|\`[^\`]*\`?)`,
  // A single quote may begin a lifetime.
  rust: `(?<comment>${slashed})|(?<text>"(?:\\\\[\\s\\S]|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\\\n])')`,
  ruby: `(?<comment>#(?!\\{)[^\\n]*|^=begin[\\s\\S]*?(?:^=end|(?![\\s\\S])))|(?<text>${quotes})`,
  shell: `(?<comment>(?<=^|\\s)#[^\\n]*)|(?<text>${quotes})`,
  other: `(?<comment>${slashed})|(?<text>"""[\\s\\S]*?(?:"""|(?![\\s\\S]))|${quotes})`,
};

export function codeOf(family: Family, text: string): Code {
  const token = new RegExp(tokens[family], "gm");
  const shortened = squeezed(family === "js" ? plain(text) : text);
  // Once more, since many comments leave as many blank lines.
  const code = squeezed(
    shortened.replace(token, (found, comment: string | undefined) =>
      comment === undefined ? found : found.includes("\n") ? "\n" : " ",
    ),
  );
  const bare = code.replace(token, (found, comment: string | undefined) =>
    comment === undefined
      ? `${found[0]}${blank(found.slice(1, -1))}${found.slice(1).slice(-1)}`
      : blank(found),
  );
  return { family, code, bare };
}

/** JavaScript has more than one way to write a name: `it["skip"]` and `it.sk\\u0069p` are `it.skip`. */
function plain(text: string): string {
  return text
    .replace(/\\u(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/gi, (found, braced?: string, short?: string) => {
      const point = Number.parseInt(braced ?? short ?? "", 16);
      return point >= 0x20 && point <= 0x7e && point !== 0x5c ? String.fromCodePoint(point) : found;
    })
    .replace(/(?<=[\w$)\]])(?:\?\.)?\[\s{0,20}(["'`])([A-Za-z_$][\w$]*)\1\s{0,20}\]/g, ".$2");
}

/** Patterns may look at white space more than once, so there must not be much of it in one place. */
function squeezed(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\S\n]{40,}/g, (run) => run.slice(0, 40))
    .replace(/\n(?:[^\S\n]*\n){2,}/g, "\n\n");
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** Where the bracket that stands at `open` is closed; the end of the text where it never is. */
export function closing(bare: string, open: number): number {
  let depth = 0;
  for (let at = open; at < bare.length; at += 1) {
    const sign = bare[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (depth === 0) return at;
  }
  return bare.length - 1;
}

/** The parts between commas that stand in no bracket of their own. */
export function parts(
  { code, bare }: Pick<Code, "code" | "bare">,
  from: number,
  to: number,
): readonly string[] {
  const found: string[] = [];
  let [depth, start] = [0, from];
  for (let at = from; at < to; at += 1) {
    const sign = bare[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (sign !== "," || depth > 0) continue;
    found.push(code.slice(start, at).trim());
    start = at + 1;
  }
  const last = code.slice(start, to).trim();
  return last === "" ? found : [...found, last];
}
