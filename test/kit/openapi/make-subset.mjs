// Cuts the operations that Baton and its rig use, with every component they refer to, out of GitHub's
// OpenAPI description. Usage: node make-subset.mjs <path of api.github.com.json>  (README.md says where from)
import { readFileSync, statSync, writeFileSync } from "node:fs";

const operations = new Set([
  "actions/delete-artifact",
  "actions/download-artifact",
  "actions/get-artifact",
  "actions/get-job-for-workflow-run",
  "actions/get-workflow-run",
  "actions/get-workflow-run-attempt",
  "actions/list-artifacts-for-repo",
  "actions/list-jobs-for-workflow-run",
  "actions/list-jobs-for-workflow-run-attempt",
  "actions/list-workflow-run-artifacts",
  "checks/create",
  "checks/list-for-ref",
  "git/create-blob",
  "git/create-commit",
  "git/create-ref",
  "git/create-tree",
  "git/delete-ref",
  "git/get-blob",
  "git/get-commit",
  "git/get-ref",
  "git/get-tree",
  "git/list-matching-refs",
  "git/update-ref",
  "issues/create",
  "issues/create-comment",
  "issues/get",
  "issues/get-comment",
  "issues/list-comments",
  "issues/list-events-for-timeline",
  "issues/list-for-repo",
  "issues/update",
  "issues/update-comment",
  "meta/get",
  "pulls/create",
  "pulls/get",
  "pulls/list",
  "pulls/list-files",
  "pulls/update",
  "rate-limit/get",
  "reactions/create-for-issue",
  "reactions/create-for-issue-comment",
  "reactions/list-for-issue",
  "reactions/list-for-issue-comment",
  "repos/get",
  "repos/get-branch",
  "repos/get-collaborator-permission-level",
  "repos/get-commit",
  "repos/get-content",
  "repos/list-commits",
  "users/get-authenticated",
  "users/get-by-username",
]);

// Prose and examples are most of the original's size and say nothing that can be checked.
const prose = new Set([
  "description",
  "example",
  "examples",
  "externalDocs",
  "summary",
  "title",
  "x-octokit",
]);

const source = process.argv[2];
if (!source) throw new Error("usage: node make-subset.mjs <path of api.github.com.json>");
const description = JSON.parse(readFileSync(source, "utf8"));

const paths = {};
for (const [path, item] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if (!operations.delete(operation.operationId)) continue;
    const { operationId, parameters, requestBody, responses } = operation;
    paths[path] ??= {};
    paths[path][method] = { operationId, parameters, requestBody, responses };
  }
}
if (operations.size > 0) throw new Error(`operations not found: ${[...operations].join(", ")}`);

const components = {};
collect(paths);
const subset = {
  openapi: description.openapi,
  info: { title: "GitHub REST API, the operations used here", version: description.info.version },
  paths: withoutProse(paths),
  components: withoutProse(components),
};
const target = new URL("github.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(sorted(subset))}\n`);
console.log(`${Object.keys(paths).length} paths, ${statSync(target).size} bytes`);

function collect(node) {
  if (Array.isArray(node)) return node.forEach(collect);
  if (node === null || typeof node !== "object") return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "example" || key === "examples") continue;
    if (key === "$ref" && typeof value === "string") collectComponent(value);
    else collect(value);
  }
}

function collectComponent(reference) {
  const [, , kind, name] = reference.split("/");
  components[kind] ??= {};
  if (name in components[kind]) return;
  components[kind][name] = description.components[kind][name];
  collect(components[kind][name]);
}

/** Drops prose keywords, but never a property that only happens to be called `title` or `description`. */
function withoutProse(node, namesProperties = false) {
  if (Array.isArray(node)) return node.map((item) => withoutProse(item));
  if (node === null || typeof node !== "object") return node;
  const kept = {};
  for (const [key, value] of Object.entries(node)) {
    if (!namesProperties && prose.has(key)) continue;
    kept[key] = withoutProse(value, !namesProperties && key === "properties");
  }
  return kept;
}

function sorted(node) {
  if (Array.isArray(node)) return node.map(sorted);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.keys(node)
      .sort()
      .map((key) => [key, sorted(node[key])]),
  );
}
