/** Reads the exported functions of repository files, and the types of their parameters, from the source. */

export interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** Columns of a table of `schema.generated.ts`, by the name of its interface. */
export type ColumnsOf = (table: string) => readonly string[];

/** Parameters of every exported function, by name. */
export function readParameters(source: string): ReadonlyMap<string, readonly Parameter[]> {
  const found = new Map<string, readonly Parameter[]>();
  for (const match of source.matchAll(/^export (?:async )?function (\w+)[^(]*?\(/gm))
    found.set(match[1] ?? '', parametersAt(source, match));
  for (const match of source.matchAll(/^export const (\w+)[^=\n]*=[^(\n]*\(?(?:async )?\(/gm))
    if (!found.has(match[1] ?? '')) found.set(match[1] ?? '', parametersAt(source, match));
  return found;
}

function parametersAt(source: string, { index, 0: { length } }: RegExpExecArray): Parameter[] {
  const start = index + length;
  return splitAtCommas(source.slice(start, closingOf(source, start)))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(readParameter);
}

function readParameter(text: string): Parameter {
  const colon = topLevel(text, ':');
  const name = (colon < 0 ? text : text.slice(0, colon)).replace(/^\.\.\./, '').replace(/[?=].*$/s, '');
  const rest = colon < 0 ? '' : text.slice(colon + 1);
  const equals = topLevel(rest.replaceAll('=>', '  '), '=');
  return { name: name.trim(), type: (equals < 0 ? rest : rest.slice(0, equals)).trim() };
}

/** The position at which the bracket that is open at `start` closes. */
function closingOf(source: string, start: number): number {
  let depth = 1;
  for (let at = start; at < source.length; at++) {
    if ('([{'.includes(source[at] ?? '')) depth += 1;
    else if (')]}'.includes(source[at] ?? '')) depth -= 1;
    if (depth === 0) return at;
  }
  return source.length;
}

function topLevel(text: string, sign: string): number {
  let depth = 0;
  for (const [at, letter] of [...text].entries()) {
    if ('([{<'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter) || (letter === '>' && text[at - 1] !== '=')) depth -= 1;
    else if (letter === sign && depth === 0) return at;
  }
  return -1;
}

function splitAtCommas(text: string): string[] {
  const comma = topLevel(text, ',');
  return comma < 0 ? [text] : [text.slice(0, comma), ...splitAtCommas(text.slice(comma + 1))];
}

/** Reads the columns of all tables from the generated types of the schema. */
export function readColumns(schema: string): ColumnsOf {
  const tables = new Map(
    [...schema.matchAll(/^export interface (\w+Table) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}(\w+): (?!GeneratedAlways)/gm)].map(([, column = '']) => column),
    ]),
  );
  return (table) => tables.get(table) ?? [];
}
