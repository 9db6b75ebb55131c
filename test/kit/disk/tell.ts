// Tells a session on the disk until a call to the kernel fails, in a process of its own: `node tell.ts <dir> <durability>`.
import { writeSync } from "node:fs";
import { diskSessionFiles } from "../../../src/adapters/disk/files.ts";
import type { EventRecord } from "../../../src/session/event.ts";
import { createJournal, StorageFailure } from "../../../src/session/open-journal.ts";
import { identity } from "../given.ts";
import { barriers } from "./power-loss.ts";
import { journalOptions } from "./sample.ts";
import { type Durability, tellUntilItFails } from "./told.ts";

const [dir = "", durability = "process"] = process.argv.slice(2) as [string, Durability];

await using files = await diskSessionFiles(dir, { durability });
const journal = createJournal(identity(), journalOptions(files, durability));
/** At level D a record counts once a barrier at or behind it has returned. Said at once, for who traces this. */
const sayBarrier = ({ event, seq }: EventRecord): void => {
  if (barriers.has(event.type)) writeSync(1, `acknowledged ${seq}\n`);
};
const { acknowledged, failure, after } = await tellUntilItFails(journal, 1, sayBarrier);
process.stdout.write(JSON.stringify({ acknowledged, failure: told(failure), after: told(after) }));

/** An error does not survive being written down; whether it was a failure of storage, and what it said, does. */
function told(error: unknown): { readonly storage: boolean; readonly says: string } | null {
  if (error === null) return null;
  const says: string[] = [];
  for (let one: unknown = error; one instanceof Error; one = one.cause) says.push(one.message);
  return { storage: error instanceof StorageFailure, says: says.join(": ") };
}
