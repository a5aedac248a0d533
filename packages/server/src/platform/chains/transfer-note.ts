/** Reads the note on a transfer. Only short, plain, visible text counts; other notes are ignored. */
const LONGEST_NOTE = 200;

export function readNote(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > LONGEST_NOTE) return undefined;
  const text = Buffer.from(bytes).toString('latin1');
  return /^[ -~]+$/.test(text) ? text : undefined;
}
