import path from "node:path";
import { removeTree } from "../adapters/sandbox/end.ts";

/**
 * Removes what a run worked in, from `agent`, the directory of all sessions of this machine: it can be made again. A
 * disk that it has filled takes no lock, no shipment and no output.
 */
export async function makeRoom(agent: string): Promise<void> {
  await removeTree(path.join(agent, "runs"));
}
