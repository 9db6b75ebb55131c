// Checks one exchange against GitHub's OpenAPI description: parameters, request body, status, response body.
// It proves shape, not behaviour; the rig's own handlers are held to it as strictly as the client is.
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";

export type Exchanged = {
  readonly method: string;
  readonly url: URL;
  readonly requestBody: unknown;
  readonly status: number;
  /** `undefined` when there was no JSON body. */
  readonly responseBody: unknown;
};

export type Match = { readonly operation: string; readonly params: Readonly<Record<string, string>> };

export type Contract = {
  /** The operation that a method and a path (still percent-encoded) name, or nothing. */
  match(method: string, path: string): Match | undefined;
  /** What was wrong with the client's request; empty when it kept to the contract. */
  request(exchanged: Pick<Exchanged, "method" | "url" | "requestBody">): readonly string[];
  /** What was wrong with the answer. */
  response(exchanged: Omit<Exchanged, "requestBody">): readonly string[];
};

type Json = { [key: string]: unknown };
type Schema = Json & { readonly $ref?: string };
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Body = Content & { readonly required?: boolean };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Schema)[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Content>>;
};
type Route = {
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly operation: Operation;
};
type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

// Every operation can answer these; the description lists them only here and there.
const commonRefusals = new Set([401, 403, 404, 429, 500, 502, 503]);
// These parameters may hold slashes.
const slashed = new Set(["path", "ref", "branch"]);
const problemsMax = 8;

let loaded: Contract | undefined;

/** The contract holds no state but its compiled checks, so one serves every server of a process. */
export function loadContract(): Contract {
  loaded ??= readContract();
  return loaded;
}

function readContract(): Contract {
  const file = new URL("../openapi/github.json", import.meta.url);
  const description = JSON.parse(readFileSync(file, "utf8")) as Description & Json;
  convertNullable(description);
  const body = compiler({ $id: "gh", ...description }, false);
  const parameter = compiler({ $id: "gh", ...description }, true);
  const routes = readRoutes(description);
  const resolve = <T>(node: T | Schema): T => dereference(description, node) as T;

  const find = (method: string, path: string) => {
    for (const route of routes) {
      const found = route.method === method ? route.pattern.exec(path) : null;
      if (!found) continue;
      const params = route.names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? "")] as const);
      return { route, params: Object.fromEntries(params) };
    }
    return undefined;
  };

  return {
    match(method, path) {
      const found = find(method, path);
      return found && { operation: found.route.operation.operationId, params: found.params };
    },
    request({ method, url, requestBody }) {
      const found = find(method, url.pathname);
      if (!found) return [`no such operation in the subset: ${method} ${url.pathname}`];
      const { operation } = found.route;
      const parameters = (operation.parameters ?? []).map((node) => resolve<Parameter>(node as Parameter));
      return [
        ...parameterProblems(parameters, found.params, url.searchParams, parameter),
        ...requestBodyProblems(operation.requestBody, requestBody, body, resolve),
      ];
    },
    response({ method, url, status, responseBody }) {
      const found = find(method, url.pathname);
      if (!found) return [];
      const { responses } = found.route.operation;
      const documented = responses[String(status)];
      if (!documented && !commonRefusals.has(status)) return [`undocumented status ${status}`];
      const schema = documented
        ? jsonSchema(resolve<Content>(documented))
        : { $ref: "#/components/schemas/basic-error" };
      if (!schema)
        return responseBody === undefined ? [] : [`status ${status} has no JSON body in the contract`];
      if (responseBody === undefined) return [`status ${status} needs a JSON body`];
      return errorsOf("response", body(schema), responseBody);
    },
  };
}

function parameterProblems(
  parameters: readonly Parameter[],
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
  compile: (schema: Schema) => ValidateFunction,
): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  for (const { name, in: where, required, schema } of parameters) {
    if (where !== "path" && where !== "query") continue;
    if (where === "query") known.add(name);
    const value = where === "path" ? path[name] : (query.get(name) ?? undefined);
    if (value !== undefined) problems.push(...errorsOf(`${where} ${name}`, compile(schema), value));
    else if (required) problems.push(`${where} ${name} is missing`);
  }
  for (const name of query.keys()) if (!known.has(name)) problems.push(`query ${name} is not documented`);
  return problems;
}

function requestBodyProblems(
  node: Body | undefined,
  value: unknown,
  compile: (schema: Schema) => ValidateFunction,
  resolve: <T>(node: T | Schema) => T,
): string[] {
  const documented = node && resolve<Body>(node);
  const schema = documented && jsonSchema(documented);
  if (!schema) return value === undefined ? [] : ["request has a body where none is documented"];
  if (value === undefined) return documented.required ? ["request body is missing"] : [];
  const problems = errorsOf("request", compile(schema), value);
  const properties = resolve<Schema>(schema)["properties"];
  if (isRecord(properties) && isRecord(value)) {
    for (const key of Object.keys(value))
      if (!(key in properties)) problems.push(`request/${key} is not documented`);
  }
  return problems;
}

function jsonSchema(node: Content): Schema | undefined {
  const type = Object.keys(node.content ?? {}).find((name) => name.startsWith("application/json"));
  return type === undefined ? undefined : node.content?.[type]?.schema;
}

function errorsOf(what: string, validate: ValidateFunction, value: unknown): string[] {
  // Coercion writes into the object that holds the value, so a parameter is wrapped and a body stays untouched.
  if (validate(what.startsWith("path ") || what.startsWith("query ") ? { value } : value)) return [];
  return (validate.errors ?? [])
    .slice(0, problemsMax)
    .map((error) => `${what}${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

function compiler(description: Schema, forParameters: boolean): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: forParameters ? "array" : false });
  formats.default(ajv);
  for (const name of ["repo.nwo", "ssh-key", "ssh-key fingerprint", "timestamp"]) ajv.addFormat(name, true);
  ajv.addSchema(description, "gh");
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const rooted = absolute(schema) as Schema;
    const fresh = ajv.compile(forParameters ? { type: "object", properties: { value: rooted } } : rooted);
    compiled.set(schema, fresh);
    return fresh;
  };
}

/** A schema taken out of the description still refers into it. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" && value.startsWith("#") ? `gh${value}` : absolute(value),
    ]),
  );
}

function readRoutes(description: Description): Route[] {
  const routes: Route[] = [];
  for (const [path, item] of Object.entries(description.paths)) {
    const names: string[] = [];
    const source = path.replaceAll(".", "\\.").replace(/\{([^}]+)\}/g, (_, name: string) => {
      names.push(name);
      return slashed.has(name) ? "(.+)" : "([^/]+)";
    });
    for (const [method, operation] of Object.entries(item)) {
      // The root of the repository has an empty path, and some clients leave its slash out too.
      const pattern = new RegExp(`^${source.replace("/contents/(.+)", "/contents/?(.*)")}$`);
      routes.push({ method: method.toUpperCase(), pattern, names, operation });
    }
  }
  // The most literal path first, so that /issues/comments/{id} is not taken for an issue called "comments".
  return routes.sort(
    (a, b) => a.names.length - b.names.length || b.pattern.source.length - a.pattern.source.length,
  );
}

function dereference(description: Json, node: unknown): unknown {
  let current = node;
  while (isRecord(current) && typeof current["$ref"] === "string") {
    const steps = current["$ref"].slice(2).split("/");
    current = steps.reduce<unknown>(
      (at, step) => (isRecord(at) ? at[unescapePointer(step)] : undefined),
      description,
    );
  }
  return current;
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** OpenAPI 3.0 says `nullable`, which JSON Schema does not know. Converts in place. */
function convertNullable(node: unknown): void {
  if (Array.isArray(node)) {
    node.forEach(convertNullable);
    return;
  }
  if (!isRecord(node)) return;
  for (const [key, value] of Object.entries(node))
    if (key !== "default" && key !== "enum") convertNullable(value);
  const nullable = node["nullable"];
  if (typeof nullable !== "boolean") return;
  delete node["nullable"];
  if (!nullable) return;
  if (Array.isArray(node["enum"]) && !node["enum"].includes(null)) node["enum"].push(null);
  if (typeof node["type"] === "string") node["type"] = [node["type"], "null"];
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    if (!node[key]) continue;
    const inner = { [key]: node[key] };
    delete node[key];
    node["anyOf"] = [inner, { type: "null" }];
    return;
  }
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
