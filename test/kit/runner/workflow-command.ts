/** A workflow command as the runner's own parser reads it from one line of output. */
export interface WorkflowCommand {
  readonly grammar: "::" | "##[";
  /** As written; the runner compares names without regard to case. */
  readonly command: string;
  /** Keys in lower case: the runner looks them up without regard to case. */
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

type Escapes = readonly (readonly [escaped: string, plain: string])[];

// In the order the runner undoes them: the percent sign last, so that "%250A" stays "%0A".
const dataEscapes: Escapes = [
  ["%0D", "\r"],
  ["%0A", "\n"],
  ["%25", "%"],
];
const propertyEscapes: Escapes = [
  ["%0D", "\r"],
  ["%0A", "\n"],
  ["%3A", ":"],
  ["%2C", ","],
  ["%25", "%"],
];
const bracketEscapes: Escapes = [
  ["%3B", ";"],
  ["%0D", "\r"],
  ["%0A", "\n"],
  ["%5D", "]"],
  ["%25", "%"],
];

/**
 * Reads a line as the runner does (actions/runner, ActionCommand.cs): `::name key=value,key=value::data`
 * only at the start of the line, after white space; `##[name key=value;key=value]data` anywhere in it.
 * `isKnown` says which names are registered at the moment; other lines are plain output.
 */
export function parseWorkflowCommand(
  line: string,
  isKnown: (name: string) => boolean,
): WorkflowCommand | undefined {
  return parseColons(line, isKnown) ?? parseBrackets(line, isKnown);
}

function parseColons(line: string, isKnown: (name: string) => boolean): WorkflowCommand | undefined {
  const text = line.trimStart();
  if (!text.startsWith("::")) return undefined;
  const end = text.indexOf("::", 2);
  if (end < 0) return undefined;
  const { name, rest } = splitName(text.slice(2, end));
  if (!isKnown(name)) return undefined;
  const properties = propertiesOf(rest.trim(), ",", propertyEscapes);
  return { grammar: "::", command: name, properties, data: undoEscapes(text.slice(end + 2), dataEscapes) };
}

function parseBrackets(line: string, isKnown: (name: string) => boolean): WorkflowCommand | undefined {
  const start = line.indexOf("##[");
  const end = start < 0 ? -1 : line.indexOf("]", start);
  if (end < 0) return undefined;
  const { name, rest } = splitName(line.slice(start + 3, end));
  if (!isKnown(name)) return undefined;
  const properties = propertiesOf(rest, ";", bracketEscapes);
  return {
    grammar: "##[",
    command: name,
    properties,
    data: undoEscapes(line.slice(end + 1), bracketEscapes),
  };
}

function splitName(info: string): { readonly name: string; readonly rest: string } {
  const space = info.indexOf(" ");
  return space < 0 ? { name: info, rest: "" } : { name: info.slice(0, space), rest: info.slice(space + 1) };
}

function propertiesOf(text: string, separator: string, escapes: Escapes): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const part of text.split(separator)) {
    const equals = part.indexOf("=");
    const value = part.slice(equals + 1);
    // A property without a name or without a value is dropped.
    if (equals > 0 && value !== "")
      properties[part.slice(0, equals).toLowerCase()] = undoEscapes(value, escapes);
  }
  return properties;
}

function undoEscapes(text: string, escapes: Escapes): string {
  return escapes.reduce((rest, [escaped, plain]) => rest.replaceAll(escaped, plain), text);
}
