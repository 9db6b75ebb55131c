import { SandboxLost } from "./channel.ts";
import { sandboxKinds } from "./kind.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "./open.ts";
import { type ProbeOptions, probeSandbox } from "./probe.ts";

export type Started =
  | { readonly kind: "sound"; readonly sandbox: Sandbox; readonly notes: readonly string[] }
  /** Nothing is left running. */
  | { readonly kind: "unsound"; readonly why: string };

/**
 * Opens the sandbox in the best way that this machine allows and proves it before anybody uses it: root, then sudo
 * without a password, then user namespaces. There is no further step down: without proof there is no sandbox (R18).
 */
export async function startSandbox(
  options: Omit<SandboxOptions, "kind" | "network" | "tools">,
  probe: ProbeOptions,
): Promise<Started> {
  const possible = await sandboxKinds();
  if (possible.kind === "none") return { kind: "unsound", why: possible.why };
  const reasons: string[] = [];
  for (const kind of possible.kinds) {
    const tried = await tryKind({ ...options, kind, network: "none", tools: true }, probe);
    if (tried.kind === "sound") return tried;
    reasons.push(`${kind}: ${tried.why}`);
  }
  return { kind: "unsound", why: reasons.join("; ") };
}

async function tryKind(options: SandboxOptions, probe: ProbeOptions): Promise<Started> {
  await using stack = new AsyncDisposableStack();
  try {
    const sandbox = stack.use(await openSandbox(options));
    const soundness = await probeSandbox(sandbox, probe);
    if (soundness.kind === "unsound") return soundness;
    stack.move();
    return { ...soundness, sandbox };
  } catch (error) {
    if (error instanceof SandboxLost) return { kind: "unsound", why: error.message };
    throw error;
  }
}
