import type { EvidenceRow } from "../gate/evidence.ts";
import { codeSpan } from "./neutral.ts";

const rowsMax = 50;

/** A Markdown table, or the sentence that says why there is none. */
export function evidenceTable(rows: readonly EvidenceRow[]): string {
  if (rows.length === 0) return "No check has run.";
  const shown = rows.slice(0, rowsMax).map((row) => {
    const where = row.dir === "" ? "" : ` in ${codeSpan(row.dir, 60)}`;
    const cells = [
      codeSpan(row.check, 60),
      codeSpan(row.command) + where,
      row.onBase,
      row.onTree,
      row.msOnTree === null ? "" : duration(row.msOnTree),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const more = rows.length > rowsMax ? ["", `${rows.length - rowsMax} more checks are not shown.`] : [];
  return [
    "| check | command | on base | on this tree | duration |",
    "|---|---|---|---|---|",
    ...shown,
    ...more,
  ].join("\n");
}

/** 840 ms, 12.3 s, 4 min 5 s. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
