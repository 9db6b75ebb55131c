import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import type { ParsedFile } from "../../gate/config-refusal.ts";

export type ParsedYaml =
  | ({ readonly kind: "parsed" } & ParsedFile)
  /** `why` says `file:line: what`. */
  | { readonly kind: "refused"; readonly why: string };

const bytesMax = 64 * 1024;
const aliasesMax = 20;

/**
 * One YAML 1.2 document, as values. Duplicate keys, tags of its own and several documents are refused; aliases are
 * bounded, and `<<` is an ordinary key, so that a small file cannot grow. Never throws for what the file holds.
 */
export function parseYaml(bytes: Uint8Array, source: string): ParsedYaml {
  if (bytes.length > bytesMax) return refused(`${source}: the file is over ${bytesMax / 1024} KiB`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refused(`${source}: the file is not UTF-8 text`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    uniqueKeys: true,
    strict: true,
    prettyErrors: false,
    stringKeys: true,
    // Not "silent": that also hides that there are several documents.
    logLevel: "error",
    lineCounter,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line } = lineCounter.linePos(problem.pos[0]);
    return refused(`${source}:${line}: ${firstLine(problem.message)}`);
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    return { kind: "parsed", value, line: (path) => lineOf(document, path, lineCounter) };
  } catch (error) {
    // What the library throws here is about the aliases: too many, or one that is not resolved.
    return refused(`${source}: ${firstLine(error instanceof Error ? error.message : String(error))}`);
  }
}

type Document = ReturnType<typeof parseDocument>;

/** The line of the key where the path ends in one, else of the value; null when neither is in the file. */
function lineOf(document: Document, path: readonly (string | number)[], counter: LineCounter): number | null {
  const node: unknown =
    path.length === 0 ? document.contents : (keyNode(document, path) ?? document.getIn(path, true));
  if (!isNode(node) || !node.range) return null;
  return counter.linePos(node.range[0]).line;
}

function keyNode(document: Document, path: readonly (string | number)[]): unknown {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  return parent.items.find((pair) => isScalar(pair.key) && pair.key.value === path.at(-1))?.key;
}

function refused(why: string): ParsedYaml {
  return { kind: "refused", why };
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/[^ -~]/g, "?").slice(0, 200);
}
