import { limits } from "../base/limits.ts";
import { counted, grouped } from "./outcome.ts";
import type { Scan, ScannedFile } from "./scan.ts";

const lineCharsMax = 300;

/** The matches as text for the model, at most `modelOutputBytesMax` bytes, with counts of what is not shown. */
export function showScan(
  scan: Scan,
  options: {
    readonly pattern: string;
    readonly limit: number;
    readonly around: number;
    readonly remarks: readonly string[];
  },
): string {
  const notes = [...skipped(scan), ...options.remarks];
  if (scan.hitCount === 0) {
    return [`No line matches /${options.pattern}/ in ${counted(scan.searched, "file")}.`, ...notes].join(
      "\n",
    );
  }
  const body: string[] = [];
  let shown = 0;
  let left = limits.modelOutputBytesMax - 2_048;
  for (const file of scan.files) {
    for (const [index, part] of blocks(file, options.around).entries()) {
      const text = index === 0 ? `${file.path}\n${part.text}` : part.text;
      left -= Buffer.byteLength(text) + 1;
      if (left < 0) return finish(scan, body, shown, notes);
      body.push(text);
      shown += part.hits;
    }
  }
  return finish(scan, body, shown, notes);
}

function finish(scan: Scan, body: readonly string[], shown: number, notes: readonly string[]): string {
  const total = `${counted(scan.hitCount, "matching line")} in ${counted(scan.fileCount, "file")}`;
  const first =
    shown < scan.hitCount
      ? `${total}; the first ${grouped(shown)} are shown: narrow path, glob or pattern, or raise limit`
      : total;
  return [first, ...body, ...notes].join("\n");
}

type Block = { readonly text: string; readonly hits: number };

/** Runs of lines that touch; a `--` line stands between two runs when context was asked for. */
function blocks(file: ScannedFile, around: number): readonly Block[] {
  const columns = new Map(file.hits.map((hit) => [hit.line, hit.column]));
  const last = file.lines.at(-1) === "" ? file.lines.length - 1 : file.lines.length;
  const result: Block[] = [];
  let done = 0;
  let run: string[] = [];
  let hits = 0;
  const close = (): void => {
    if (run.length > 0) result.push({ text: run.join("\n"), hits });
    run = [];
    hits = 0;
  };
  for (const hit of file.hits) {
    const from = Math.max(1, hit.line - around);
    if (from > done + 1) {
      close();
      if (around > 0 && result.length > 0) run.push("--");
    }
    hits += 1;
    for (let line = Math.max(from, done + 1); line <= Math.min(last, hit.line + around); line += 1) {
      run.push(showLine(line, file.lines[line - 1] ?? "", columns.get(line) ?? null));
      done = line;
    }
  }
  close();
  return result;
}

function showLine(number: number, text: string, column: number | null): string {
  const mark = column === null ? "-" : ":";
  if (text.length <= lineCharsMax) return `${number}${mark}${text}`;
  const start = Math.max(0, Math.min((column ?? 0) - 60, text.length - lineCharsMax));
  const before = start > 0 ? `[${counted(start, "character")} before] ` : "";
  const after = text.length - start - lineCharsMax;
  const rest = after > 0 ? ` [${counted(after, "more character")}]` : "";
  return `${number}${mark}${before}${text.slice(start, start + lineCharsMax)}${rest}`;
}

function skipped(scan: Scan): readonly string[] {
  const parts = [
    scan.binary > 0 ? counted(scan.binary, "binary file") : "",
    scan.large > 0 ? `${counted(scan.large, "file")} over 4 MiB` : "",
    scan.unreadable > 0 ? counted(scan.unreadable, "unreadable file") : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? [`[not searched: ${parts.join(", ")}]`] : [];
}
