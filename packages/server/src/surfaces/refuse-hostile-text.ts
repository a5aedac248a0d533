import { MarketError } from '@market/contract';

/** Deeper values could exhaust the stack of recursive code. */
export const MAX_DEPTH = 32;

export function tooDeep(): MarketError {
  return new MarketError('json_too_deep', { message: `JSON may be nested ${MAX_DEPTH} levels deep.` });
}

/** PostgreSQL cannot store NUL or half a surrogate pair, and `__proto__` would change objects that are merged from the value. */
export function refuseHostileText(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed()) throw new MarketError('invalid_encoding');
  } else if (value !== null && typeof value === 'object') {
    if (depth >= MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) for (const item of value) refuseHostileText(item, depth + 1);
    else
      for (const [key, field] of Object.entries(value)) {
        if (key === '__proto__') throw new MarketError('invalid_input', { message: 'Unknown field: __proto__.' });
        refuseHostileText(key);
        refuseHostileText(field, depth + 1);
      }
  }
}
