/** Parses a body into a JSON value that is safe to handle: valid UTF-8, limited depth, no prototype keys, no NUL. */
import { MarketError } from '@market/contract';
import { MAX_DEPTH, refuseHostileText, tooDeep } from '../refuse-hostile-text.ts';

/** Far more than any call needs. Without this limit, thousands of unknown fields cost a tenth of a second per request. */
const MAX_FIELDS_OF_AN_OBJECT = 200;
const MAX_FIELDS = 2_000;
/** Counts objects, lists and commas in lists. Each item of a list costs as much as a field. */
const MAX_ITEMS = 5_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let source: string;
  try {
    source = decoder.decode(bytes);
  } catch {
    throw new MarketError('invalid_encoding', { message: 'The body is not valid UTF-8.' });
  }
  refuseUnsafeStructure(source);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new MarketError('invalid_json', { message: `The body is not valid JSON: ${(error as Error).message.slice(0, 120)}` });
  }
  refuseHostileText(value);
  return value;
}

interface OpenValue {
  /** Undefined inside an array. */
  readonly keys: Set<string> | undefined;
  expectsKey: boolean;
}

/**
 * Refuses, before `JSON.parse`, nesting too deep for recursive code, and repeated keys. The parser would keep the last of them while
 * another reader keeps the first.
 */
function refuseUnsafeStructure(source: string): void {
  const open: OpenValue[] = [];
  let fields = 0;
  let items = 0;
  for (let i = 0; i < source.length; i++) {
    const top = open.at(-1);
    switch (source.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(source, i);
        if (top?.keys !== undefined && top.expectsKey) {
          rememberKey(top.keys, source.slice(i, end + 1));
          fields += 1;
          refuseTooManyFields(top.keys.size, fields);
        }
        if (top !== undefined) top.expectsKey = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b:
        if (open.length === MAX_DEPTH) throw tooDeep();
        refuseTooManyItems(++items);
        open.push(source[i] === '{' ? { keys: new Set(), expectsKey: true } : { keys: undefined, expectsKey: false });
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case 0x2c:
        refuseTooManyItems(++items);
        if (top?.keys !== undefined) top.expectsKey = true;
        break;
    }
  }
}

function endOfString(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return source.length;
}

function rememberKey(keys: Set<string>, literal: string): void {
  let key: string;
  try {
    key = JSON.parse(literal) as string;
  } catch {
    return; // The text is not JSON, and the parser reports that better.
  }
  if (keys.has(key))
    throw new MarketError('invalid_json', { message: `The body names the field ${key.slice(0, 60).toWellFormed()} twice.` });
  keys.add(key);
}

function refuseTooManyFields(ofThisObject: number, ofAll: number): void {
  if (ofThisObject > MAX_FIELDS_OF_AN_OBJECT)
    throw new MarketError('invalid_input', { message: `An object in the body has more than ${MAX_FIELDS_OF_AN_OBJECT} fields.` });
  if (ofAll > MAX_FIELDS) throw new MarketError('invalid_input', { message: `The body has more than ${MAX_FIELDS} fields.` });
}

function refuseTooManyItems(items: number): void {
  if (items > MAX_ITEMS) throw new MarketError('invalid_input', { message: `The body has more than ${MAX_ITEMS} values.` });
}
