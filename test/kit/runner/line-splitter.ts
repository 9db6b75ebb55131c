import { StringDecoder } from "node:string_decoder";

/**
 * Cuts a stream of bytes into lines where the runner's reader cuts it: at LF, CR LF and a lone CR.
 * `end` gives what is left without a line end.
 */
export function splitLines(onLine: (line: string) => void): { feed(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const take = (text: string, final: boolean) => {
    rest += text;
    // A CR at the very end may be half of a CR LF.
    const complete = /^([^\r\n]*)(\r\n|\n|\r(?!$))/;
    for (let match = complete.exec(rest); match; match = complete.exec(rest)) {
      rest = rest.slice(match[0].length);
      onLine(match[1] ?? "");
    }
    if (!final) return;
    const last = rest.replace(/\r$/, "");
    if (rest !== "") onLine(last);
    rest = "";
  };
  return { feed: (chunk) => take(decoder.write(chunk), false), end: () => take(decoder.end(), true) };
}
