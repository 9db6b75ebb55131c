import type { BaseIssue, GenericSchema } from "valibot";
import { getDotPath } from "valibot";

/** What is wrong with a tool's arguments, all of it, in words that say how to put it right. */
export function explain(
  schema: GenericSchema,
  issues: readonly [BaseIssue<unknown>, ...BaseIssue<unknown>[]],
): string {
  const known = keysOf(schema);
  const faults = issues.map((issue) => fault(issue));
  const keys = known.length > 0 ? ` The keys are: ${known.join(", ")}.` : "";
  return `The arguments are not valid: ${faults.join("; ")}.${keys}`;
}

function fault(issue: BaseIssue<unknown>): string {
  const at = getDotPath(issue);
  if (issue.type === "strict_object" && issue.expected === "never") return `unknown key "${at}"`;
  if (issue.type === "strict_object" && issue.received === "undefined") return `"${at}" is missing`;
  if (issue.kind === "schema") {
    const where = at === null ? "the arguments" : `"${at}"`;
    return `${where} must be ${expectation(issue)}, but got ${issue.received}`;
  }
  return `"${at}": ${issue.message}`;
}

function expectation(issue: BaseIssue<unknown>): string {
  const expected = issue.expected ?? "something else";
  return expected === "Object" ? "an object" : expected === "Array" ? "an array" : expected;
}

function keysOf(schema: GenericSchema): readonly string[] {
  if (!("entries" in schema) || typeof schema.entries !== "object" || schema.entries === null) return [];
  return Object.keys(schema.entries);
}
