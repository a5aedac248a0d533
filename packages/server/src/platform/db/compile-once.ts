/** Builds a hot query once: building and compiling a wide query costs more than running a small one. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './handles.ts';

/** Stands for a parameter while the query is built. */
class Placeholder {}

/** `build` gets placeholders instead of parameters and may only pass them on as values. No list length and no branch may depend on one. */
export function compileOnce<P extends readonly unknown[], R>(
  build: (db: Db, ...parameters: P) => Compilable<R>,
): (db: Db, ...parameters: P) => CompiledQuery<R> {
  let compiled: { readonly query: CompiledQuery<R>; readonly positions: readonly number[] } | undefined;
  return (db, ...parameters) => {
    compiled ??= compileWithPlaceholders(db, build, parameters.length);
    const { query, positions } = compiled;
    const values = query.parameters.map((value, index) => (positions[index] === -1 ? value : parameters[positions[index] ?? -1]));
    return { ...query, parameters: values };
  };
}

function compileWithPlaceholders<P extends readonly unknown[], R>(
  db: Db,
  build: (db: Db, ...parameters: P) => Compilable<R>,
  count: number,
): { readonly query: CompiledQuery<R>; readonly positions: readonly number[] } {
  const placeholders = Array.from({ length: count }, () => new Placeholder());
  const query = build(db, ...(placeholders as unknown as P)).compile();
  const positions = query.parameters.map((value) => placeholders.indexOf(value as Placeholder));
  if (placeholders.some((_, index) => !positions.includes(index))) throw new Error(`a parameter is missing in: ${query.sql}`);
  return { query, positions };
}
