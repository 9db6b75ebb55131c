import type { Counts } from "../gate/counts.ts";
import { type EvidenceRow, fewerTests, stillRed } from "../gate/evidence.ts";
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
      tests(row),
      row.msOnTree === null ? "" : duration(row.msOnTree),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const more = rows.length > rowsMax ? ["", `${rows.length - rowsMax} more checks are not shown.`] : [];
  return [
    "| check | command | on base | on this tree | tests, base → this tree | duration |",
    "|---|---|---|---|---|---|",
    ...shown,
    ...more,
    ...belowTable(rows),
  ].join("\n");
}

/** On base, then on the tree. */
function tests({ countsOnBase, countsOnTree }: EvidenceRow): string {
  if (countsOnBase === null && countsOnTree === null) return "exit code only";
  return `${numbers(countsOnBase)} → ${numbers(countsOnTree)}`;
}

function numbers(counts: Counts | null): string {
  if (counts === null) return "exit code only";
  const { passed, failed, skipped, unit, isPartial } = counts;
  const parts = [
    passed > 0 || failed + skipped === 0 ? `${passed} passed` : "",
    failed > 0 ? `${failed} failed` : "",
    skipped > 0 ? `${skipped} skipped` : "",
  ];
  const what = unit === "packages" ? "packages: " : "";
  return `${what}${isPartial ? "at least " : ""}${parts.filter((part) => part !== "").join(", ")}`;
}

/** Nobody but the runner itself, which runs what is judged, has counted the tests: the table has to say so. */
function belowTable(rows: readonly EvidenceRow[]): readonly string[] {
  const hasCounts = rows.some((row) => row.countsOnBase !== null || row.countsOnTree !== null);
  const fewer = fewerTests(rows)
    .slice(0, rowsMax)
    .map(({ check, why }) => `- Fewer tests than on base, look closely: ${codeSpan(check, 60)}: ${why}.`);
  const said = hasCounts ? ["", "The numbers are what each check's own test runner reports."] : [];
  return [...said, ...paragraph(fewer), ...paragraph(redBefore(rows)), ...paragraph(rows.flatMap(proofLine))];
}

function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines.slice(0, rowsMax)];
}

/** Whoever reads the table has to know by what rule these let a change pass. */
function redBefore(rows: readonly EvidenceRow[]): readonly string[] {
  const names = rows
    .filter(stillRed)
    .slice(0, rowsMax)
    .map(({ check }) => codeSpan(check, 60));
  if (names.length === 0) return [];
  return [`Red without the change too, and not worse with it, so not held against it: ${names.join(", ")}.`];
}

function proofLine({ check, proof }: EvidenceRow): readonly string[] {
  if (proof === undefined) return [];
  const name = codeSpan(check, 60);
  switch (proof.kind) {
    case "proved":
      return [
        `- **Red to green** by ${name}: with the tests of the change alone it failed on base (${proof.how}), and it passes on this tree.`,
      ];
    case "not-proved":
      return [`- **No proof** by ${name}: ${proof.why}.`];
    case "not-provable":
      return [`- **No proof** by ${name}, and none can be had: ${proof.why}.`];
  }
}

/** 840 ms, 12.3 s, 4 min 5 s. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
