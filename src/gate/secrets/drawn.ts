const madeUpWords =
  /example|placeholder|your|dummy|fake|sample|redacted|changeme|change_me|insert|notreal|not-a-real|x{4}|\*{4}|\.{4}/i;

/** Keys that open nothing, since everybody knows them: that of the emulator of Azure's storage. */
const known = /^Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1/;

/** As people write it in tests and documents: it says so, repeats itself or counts up. */
export function isMadeUp(value: string): boolean {
  if (known.test(value)) return true;
  return madeUpWords.test(value) || /(.)\1{5}/.test(value) || countsUp(value) || new Set(value).size < 8;
}

/** The same of a key of many lines, which holds short words and runs of one letter by chance. */
export function isMadeUpKey(value: string): boolean {
  const body = value.replace(/-----[^-]{1,60}-----/g, "");
  return /example|placeholder|redacted/i.test(body) || new Set(body).size < 12;
}

const countedMin = 8;

function countsUp(value: string): boolean {
  let run = 1;
  for (let at = 1; at < value.length; at++) {
    const [before, now] = [value.charCodeAt(at - 1), value.charCodeAt(at)];
    const follows = now === before + 1 || (value[at - 1] === "9" && value[at] === "0");
    run = follows ? run + 1 : 1;
    if (run >= countedMin) return true;
  }
  return false;
}

/** Bits a character; words and identifiers of that length stay below, random text above. */
const entropyMin = 3.8;

/** Letters of both cases and digits, and no order among them. */
export function looksDrawn(value: string): boolean {
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false;
  // A path, a version or a name of several words is written by somebody.
  if (/^[./]|\.[a-z]{2,5}$/.test(value) || /(?:[A-Za-z]{4,}[-_./]){3}/.test(value)) return false;
  return entropyOf(value) >= Math.min(entropyMin, Math.log2(value.length) - 0.8);
}

function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
