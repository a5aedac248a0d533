/** Sample arguments and rows for repository functions: only their shapes matter for the statements. */
import type { ColumnsOf } from './exported-functions.ts';

const TIME = new Date('2026-01-01T00:00:00Z');
const LIST_METHODS = new Set('map filter flatMap slice some every findLast includes toSorted forEach values'.split(' '));
const TEXT_METHODS = new Set('split trim replace replaceAll startsWith toLowerCase toUpperCase toISOString toString'.split(' '));
/** Properties that samples must lack: Kysely reads them to tell expressions from parameters, and `await` reads `then`. */
const NEVER_THERE = new Set<PropertyKey>(['toOperationNode', 'expressionType', 'isRawBuilder', 'then']);

/** A value with every property, usable as a list of one and as text. The suffix of `name` (Micros, Days …) decides its type. */
export function anyValue(name = ''): unknown {
  // Without a cursor, the function reads the first page.
  if (name === 'cursor') return undefined;
  if (/(?:micros|units|lamports|wei)$/i.test(name)) return 1n;
  if (/(?:At|Until|Since|^now|^time|^since|^until|^at)$/.test(name)) return TIME;
  if (/(?:^limit|Count|Seconds|Ms|Days|Hours|^number)$/.test(name)) return 1;
  if (/(?:^id|Id|Key|Wallet|^wallet|^address|Address|^network|^caip2|^reference|^mint|^q)$/.test(name)) return 'x';
  const one = [undefined as unknown];
  const proxy: unknown = new Proxy(Object.create(null), {
    get(_, key) {
      if (NEVER_THERE.has(key)) return undefined;
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? 'x' : 1);
      if (key === Symbol.iterator) return () => one.values();
      if (key === 'length' || key === 'size') return 1;
      if (typeof key === 'symbol') return undefined;
      if (LIST_METHODS.has(key)) return (one[key as 'map'] as () => unknown).bind(one);
      if (TEXT_METHODS.has(key)) return ('x'[key as 'trim'] ?? (() => 'x')).bind('x');
      if (key === 'getTime' || key === 'valueOf') return () => 1;
      if (key === 'has') return () => true;
      if (key === 'get') return () => anyValue();
      return anyValue(key);
    },
    has: (_, key) => !NEVER_THERE.has(key),
  });
  one[0] = name === '' ? proxy : anyValue();
  return proxy;
}

/** A sample value for a parameter, from the text of its type. */
export function sampleOf(type: string, name: string, columnsOf: ColumnsOf): unknown {
  const text = type.trim().replace(/^readonly\s+/, '');
  if (text.endsWith('[]')) return [sampleOf(text.slice(0, -2).replace(/^\(([\s\S]*)\)$/, '$1'), '', columnsOf)];
  if (/^(?:Insertable|Updateable|Selectable|Partial|Omit|Pick)<.*Table\b/.test(text)) {
    const table = /(\w+Table)\b/.exec(text)?.[1] ?? '';
    return Object.fromEntries(columnsOf(table).map((column) => [column, anyValue(column)]));
  }
  if (/^ReadonlySet</.test(text)) return new Set(['x']);
  if (/^ReadonlyMap</.test(text)) return new Map([['x', anyValue()]]);
  if (/^\{[\s\S]*\}$/.test(text) || /^(?:Pick|Omit)</.test(text)) return anyValue();
  const first = text.replace(/^\|\s*/, '').split(/\s*\|\s*/)[0] ?? '';
  if (first !== text) return sampleOf(first, name, columnsOf);
  const literal = /^'(.*)'$/.exec(text)?.[1];
  if (literal !== undefined) return literal;
  const plain = { string: 'x', number: 1, bigint: 1n, boolean: true, true: true, false: false, Date: TIME, Buffer: Buffer.from('x') }[text];
  if (plain !== undefined) return plain;
  if (/(?:Id|Name|Chain|Hex|Address)$/.test(text)) return 'x';
  return anyValue();
}
