// Files that people drop into a text: where they are, who may fetch them, and how the text refers to them as HTML.
import { randomUUID } from "node:crypto";
import { type Answer, answer, type Call, notFound } from "./answer.ts";
import type { World } from "./world.ts";

const uploaded = /\/user-attachments\/assets\/([0-9a-f-]{36})/;
const stored = /^\/1\/2-([0-9a-f-]{36})\.png$/;
const right = "jwt=a-right-to-read";

export function upload(world: World, file: Buffer): string {
  const id = randomUUID();
  world.attachments.set(id, file);
  return `${world.serverUrl}/user-attachments/assets/${id}`;
}

export function isAttachmentPath(pathname: string): boolean {
  return uploaded.test(pathname) || stored.test(pathname);
}

/** GitHub sends a browser to its storage with a right to read in the address; of a private repository only members. */
export function answerAttachment(world: World, { pathname, search }: URL): Answer {
  const id = uploaded.exec(pathname)?.[1];
  if (id !== undefined) {
    if (world.private || !world.attachments.has(id)) return notFound();
    return { ...answer(302), headers: { location: addressOf(world, id) } };
  }
  const file = world.attachments.get(stored.exec(pathname)?.[1] ?? "");
  if (file === undefined || search !== `?${right}`) return notFound();
  return { ...answer(200, file), headers: { "content-type": "application/octet-stream" } };
}

/** The `full` media type has the text as HTML beside it, in which files have signed addresses. */
export function htmlOf(world: World, text: string | null, { accept }: Call): { readonly body_html?: string } {
  if (!/\bfull\+json\b/.test(accept)) return {};
  const files = (text ?? "").matchAll(new RegExp(uploaded, "g"));
  const known = [...files].flatMap(([, id = ""]) => (world.attachments.has(id) ? [id] : []));
  return { body_html: known.map((id) => `<p><img width="3" src="${addressOf(world, id)}"></p>`).join("\n") };
}

function addressOf(world: World, id: string): string {
  return `${world.origin}/1/2-${id}.png?${right}`;
}
