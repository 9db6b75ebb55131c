// A broker of its own, to be killed: opens a sandbox, lets `command` run in it and tells of its outermost process.
import type { SandboxKind } from "../../../src/adapters/sandbox/kind.ts";
import { type Bench, command, openAt } from "./bench.ts";

const bench = JSON.parse(process.argv[2] ?? "") as Bench & { readonly kind: SandboxKind };
const sandbox = await openAt(bench);
process.stdout.write(`${JSON.stringify(sandbox.process)}\n`);
await command(sandbox, process.argv[3] ?? "");
process.stdout.write("the command has ended\n");
