import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** One request and its reply, in monotonic milliseconds: the request's first byte and the reply's last. */
export type Exchange = { readonly asked: number; readonly bytes: number; readonly replied: number | null };

export type BenchModel = {
  readonly url: string;
  /** Ends the server and gives all exchanges in order. */
  readonly finish: () => Promise<readonly Exchange[]>;
};

/** Starts a model that asks for `calls` shell calls, one a turn, and then says that it is done. */
export async function startBenchModel(calls: number): Promise<BenchModel> {
  const child = fork(path.join(import.meta.dirname, "model-server.mjs"), [String(calls)]);
  const { port } = await answer<{ readonly port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    finish: async () => {
      child.send("finish");
      const { exchanges } = await answer<{ readonly exchanges: readonly Exchange[] }>(child);
      await once(child, "exit");
      return exchanges;
    },
  };
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, "message")) as [T];
  return message;
}
