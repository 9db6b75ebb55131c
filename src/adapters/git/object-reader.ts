import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { type GitPlace, gitEnvironment } from "./environment.ts";

export type GitObject = { readonly id: string; readonly type: string; readonly body: Buffer };

type Waiting = {
  readonly name: string;
  readonly resolve: (object: GitObject | null) => void;
  readonly reject: (error: Error) => void;
};

/**
 * One long-lived `git cat-file --batch`, so that reading an object starts no process. It does not keep our process
 * alive while nothing is being read, and ends with it: its standard input closes.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #place: GitPlace;
  readonly #waiting: Waiting[] = [];
  #child: ChildProcess | null = null;
  #chunks: Buffer[] = [];
  #held = 0;
  #needed = 0;
  #closed = false;

  constructor(place: GitPlace) {
    this.#place = place;
  }

  /** An object by id or by an expression like `<commit>^{tree}`; null when it is not here. */
  find(name: string): Promise<GitObject | null> {
    if (this.#closed) throw new Error(`the reader of ${this.#place.gitDir} is closed`);
    const { promise, resolve, reject } = Promise.withResolvers<GitObject | null>();
    const child = this.#child ?? this.#start();
    this.#waiting.push({ name, resolve, reject });
    this.#hold(child, true);
    child.stdin?.write(`${name}\n`);
    return promise;
  }

  /** The body of an object that must be here. Throws otherwise. */
  async read(name: string, type: "blob" | "tree"): Promise<GitObject> {
    const object = await this.find(name);
    if (object === null) throw new Error(`object ${name} is missing in ${this.#place.gitDir}`);
    if (object.type !== type) throw new Error(`object ${name} is a ${object.type}, not a ${type}`);
    return object;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    if (child === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once("close", () => resolve());
    child.ref();
    child.stdin?.end();
    await promise;
  }

  #start(): ChildProcess {
    const child = spawn("git", ["cat-file", "--batch"], {
      cwd: this.#place.home,
      env: gitEnvironment(this.#place),
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child = child;
    this.#chunks = [];
    this.#held = 0;
    this.#needed = 0;
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    child.stdin?.on("error", () => {});
    child.stdout?.on("data", (chunk: Buffer) => this.#take(child, chunk));
    child.on("error", (cause) => this.#fail(child, cause));
    child.on("close", (code) => this.#fail(child, new Error(`git cat-file ended with ${code}`)));
    return child;
  }

  #take(child: ChildProcess, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    // Joined only when the object that is being received may be whole, so a large one is not copied again and again.
    while (this.#held >= Math.max(this.#needed, 1)) if (!this.#settleOne()) break;
    if (this.#waiting.length === 0) this.#hold(child, false);
  }

  #settleOne(): boolean {
    const data =
      this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    this.#chunks = [data];
    const line = data.indexOf(0x0a);
    const head = this.#waiting[0];
    if (line < 0 || head === undefined) return false;
    const header = data.toString("latin1", 0, line);
    const [id = "", type = "", size = ""] = header.split(" ");
    const found = /^[0-9a-f]{40} [a-z]+ [0-9]+$/.test(header);
    const end = found ? line + 1 + Number(size) + 1 : line + 1;
    this.#needed = end;
    if (data.length < end) return false;
    this.#waiting.shift();
    this.#needed = 0;
    this.#chunks = [data.subarray(end)];
    this.#held = data.length - end;
    // A copy: a small object must not keep the large buffer it arrived in.
    head.resolve(found ? { id, type, body: Buffer.from(data.subarray(line + 1, end - 1)) } : null);
    return true;
  }

  #fail(child: ChildProcess, cause: Error): void {
    if (this.#child === child) this.#child = null;
    for (const { name, reject } of this.#waiting.splice(0))
      reject(new Error(`cannot read object ${name} in ${this.#place.gitDir}`, { cause }));
  }

  #hold(child: ChildProcess, busy: boolean): void {
    if (!(child.stdout instanceof Socket)) return;
    if (busy) child.stdout.ref();
    else child.stdout.unref();
  }
}
