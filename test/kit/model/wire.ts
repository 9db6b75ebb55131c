/** The Messages API as it stands on the wire, as far as the scripted server reads it. */

export interface WireBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly WireBlock[];
  readonly is_error?: boolean;
  readonly source?: { readonly type?: string; readonly media_type?: string; readonly data?: string };
  readonly cache_control?: unknown;
}

export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly WireBlock[];
}

export interface WireTool {
  readonly name: string;
  readonly description?: string;
  readonly type?: string;
  readonly input_schema?: { readonly type?: string };
  readonly cache_control?: unknown;
}

/** A request body. The server records it as it came, so a refused one may lack any of these. */
export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly WireMessage[];
  readonly system?: string | readonly WireBlock[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: unknown;
  readonly thinking?: { readonly type?: string };
  readonly stream?: boolean;
  readonly cache_control?: unknown;
}

/** Content as blocks: the API takes a string as shorthand for one text block. */
export function blocksOf(content: string | readonly WireBlock[] | undefined): readonly WireBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}
