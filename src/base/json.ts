/** Of a value that came out of JSON, or from somewhere else that is not ours: whether it has fields by name. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Its fields; none where it has none. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
