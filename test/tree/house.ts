/** What the map in `src/README.md` allows one room. */
export type Row = {
  readonly room: string;
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** Modules of Node; `fs` stands for `fs/promises` too. */
  readonly node: readonly string[];
  /** The row says `any` of each. */
  readonly anything: boolean;
};

export type House = ReadonlyMap<string, Row>;

/**
 * Reads the table "room | may import | packages | node" of the map. Names stand in backquotes or bare, separated by
 * commas; `–` is none and `any` is everything. Throws when the table is missing or a row is not of that shape.
 */
export function readHouse(markdown: string): House {
  const lines = markdown.split("\n");
  const head = lines.findIndex((line) => /^\|\s*room\s*\|\s*may import\s*\|/.test(line));
  if (head < 0) throw new Error("the map has no table that begins with | room | may import |");
  const house = new Map<string, Row>();
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith("|")) break;
    const cells = line.split("|").slice(1, -1).map(namesIn);
    const [[room] = [], rooms, packages, node] = cells;
    if (cells.length !== 4 || room === undefined || !rooms || !packages || !node)
      throw new Error(`the map's table has a row of another shape: ${line}`);
    if (house.has(room)) throw new Error(`the map's table has two rows for ${room}`);
    const anything = rooms.includes("any");
    house.set(room, { room, rooms, packages, node, anything });
  }
  return house;
}

function namesIn(cell: string): readonly string[] {
  return cell
    .split(",")
    .map((name) => name.replaceAll("`", "").trim())
    .filter((name) => name !== "" && name !== "–");
}

/** The room of a source file: `session`, `adapters/git`, or the entry's own file name. */
export function roomOf(path: string): string {
  const parts = path.split("/").slice(1);
  if (parts.length === 1) return parts[0] ?? "";
  return parts[0] === "adapters" ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}
