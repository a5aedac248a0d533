export interface ClassesInCode {
  readonly names: readonly string[];
  /** Beginnings of names that the code completes at run time. */
  readonly prefixes: readonly string[];
}

/** The classes that a source file sets: `className`, `classNames(…)`, and `class` in templates of markup. */
export function classesInCode(source: string): ClassesInCode {
  const written = [...source.matchAll(/\bclass(?:Name)?="([^"]*)"/g)].map(([, names = '']) => names);
  const expressions = [...source.matchAll(/\bclassName=\{|\bclassNames\(/g)].map(({ index, 0: start }) =>
    enclosed(source, index + start.length),
  );
  const literals = expressions.flatMap((expression) =>
    [...expression.replace(/[!=]== '[^']*'/g, '').matchAll(/'([^']*)'/g)].map(([, names = '']) => names),
  );
  const prefixes = expressions.flatMap((expression) => [...expression.matchAll(/`([\w-]+)\$\{/g)].map(([, prefix = '']) => prefix));
  const names = [...written, ...literals].flatMap((list) => list.split(/\s+/)).filter((name) => name !== '');
  return { names: [...new Set(names)], prefixes: [...new Set(prefixes)] };
}

/** The text from `start` to the bracket that closes the one before `start`. */
function enclosed(source: string, start: number): string {
  let depth = 1;
  let end = start;
  while (depth > 0 && end < source.length) {
    const character = source.charAt(end++);
    if ('{('.includes(character)) depth++;
    if ('})'.includes(character)) depth--;
  }
  return source.slice(start, end - 1);
}
