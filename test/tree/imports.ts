/** One way in which a source names another module. */
export type Import = { readonly specifier: string; readonly line: number };

/** An import whose target cannot be read off the source. */
export const computed = "<computed>";

const patterns = [
  // import … from, import type … from, export … from, over as many lines as they take
  /(?<=[\s}*])from\s*(["'])(?<specifier>[^"'\n]+)\1/g,
  // import "…"
  /\bimport\s*(["'])(?<specifier>[^"'\n]+)\1/g,
  // import("…"), typeof import("…"), require("…")
  /\b(?:import|require)\s*\(\s*(["'`])(?<specifier>[^"'`\n$]+)\1\s*[,)]/g,
  // import(name), require(name), import(`…${name}`)
  /\b(?:import|require)\s*\(\s*(?!\s)(?!(["'`])[^"'`\n$]+\1\s*[,)])(?<computed>)/g,
] as const;

/**
 * Every import in a TypeScript source. It reads no syntax: what looks like an import outside a line of comment is one.
 * Text that is none may be reported, and then wants other words; an import is never missed.
 */
export function importsOf(source: string): readonly Import[] {
  const text = withoutCommentLines(source);
  const found = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({
      specifier: match.groups?.["specifier"] ?? computed,
      line: text.slice(0, match.index).split("\n").length,
    })),
  );
  return found.sort((a, b) => a.line - b.line);
}

/** The same lines, those that hold nothing but comment emptied. */
export function withoutCommentLines(source: string): string {
  return source
    .split("\n")
    .map((line) => (/^\s*(\/\/|\*(?!\/.*\S)|\/\*(?!.*\*\/.*\S))/.test(line) ? "" : line))
    .join("\n");
}
