/** For our own sentences: plain ASCII, and short. */
export function printable(text: string): string {
  return text.replace(/[^ -~]/g, "?").slice(0, 60);
}
