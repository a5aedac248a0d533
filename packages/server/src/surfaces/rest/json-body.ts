/** Turns body bytes into a JSON value that is safe to handle: valid UTF-8, bounded depth, no prototype keys, no NUL. */
import { MarketError } from '@market/contract';

const MAX_DEPTH = 32;
const decoder = new TextDecoder('utf-8', { fatal: true });

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let source: string;
  try {
    source = decoder.decode(bytes);
  } catch {
    throw new MarketError('invalid_encoding', { message: 'The body is not valid UTF-8.' });
  }
  // Depth is measured before parsing: what is nested deeper than the stack allows must not reach recursive code.
  if (jsonDepth(source) > MAX_DEPTH) throw new MarketError('json_too_deep', { message: `JSON may be nested ${MAX_DEPTH} levels deep.` });
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new MarketError('invalid_json', { message: `The body is not valid JSON: ${(error as Error).message.slice(0, 120)}` });
  }
  refuseHostileText(value);
  return value;
}

function jsonDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** PostgreSQL cannot store NUL or half a surrogate pair, and `__proto__` would change objects that are merged from it. */
export function refuseHostileText(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed()) throw new MarketError('invalid_encoding');
  } else if (Array.isArray(value)) {
    for (const item of value) refuseHostileText(item);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, field] of Object.entries(value)) {
      if (key === '__proto__') throw new MarketError('invalid_input', { message: 'Unknown field: __proto__.' });
      refuseHostileText(key);
      refuseHostileText(field);
    }
  }
}
