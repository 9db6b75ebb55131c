import type { SupervisorPlan, WorkerPlan } from "./adapters/sandbox/protocol.ts";

// Runs inside the sandbox, in two processes of two uids: `supervise <plan>` and `tools <plan>`. Each loads only what
// it needs, because the time this takes is paid before the first request to the model.
const [role, plan = ""] = process.argv.slice(2);
if (role === "supervise") {
  const { supervise } = await import("./adapters/sandbox/supervisor.ts");
  const shell = () => import("./tools/shell.ts").then((module) => module.shell);
  supervise(JSON.parse(plan) as SupervisorPlan, process.stdin, process.stdout, { shell });
} else if (role === "tools") {
  const [{ serveTools }, { tools }] = await Promise.all([
    import("./adapters/sandbox/worker.ts"),
    import("./tools/all.ts"),
  ]);
  serveTools(tools, JSON.parse(plan) as WorkerPlan, process.stdin, process.stdout);
} else {
  process.stderr.write("toolhost: supervise <plan> | tools <plan>\n");
  process.exitCode = 2;
}
