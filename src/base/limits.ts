/** Every bound that more than one room keeps, unit last. Bounds of one room stand in that room. */
export const limits = {
  /** One line of the log. session.md, section 1. */
  lineBytesMax: 64 * 1024,
  /** Larger payloads go to a blob. */
  inlineBytesMax: 8 * 1024,
  manifestBytesMax: 4 * 1024,
  checkpointBytesMax: 4 * 1024,
  /** What of a tool's or check's output the model gets to see at once. */
  modelOutputBytesMax: 30 * 1024,
  /** What of an output is kept whole, readable in parts. */
  storedOutputBytesMax: 8 * 1024 * 1024,
  readsAtOnce: 6,
  gateRoundsMax: 3,
} as const;
