import type { Mask } from "../base/masking.ts";

/** One place where everything is printed: masked, and with nothing in it that a terminal would obey. */
export function printer(write: (text: string) => void, mask: Mask): (text: string) => void {
  return (text) => write(`${mask(text).replaceAll(unprintable, "\ufffd")}\n`);
}

/** Control and format characters, by which text moves the cursor or hides itself; not the line end and the tab. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
