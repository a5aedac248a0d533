/** Builds a hot query once. Building and compiling a wide one costs more than a small query takes to run. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './handles.ts';

/** Marks a parameter while the query is built. */
class Placeholder {}

/**
 * `build` gets placeholders instead of parameters, so it may only pass them on as values: no list whose length shapes the text, and no
 * branch that depends on one.
 */
export function compileOnce<P extends readonly unknown[], R>(
  build: (db: Db, ...parameters: P) => Compilable<R>,
): (db: Db, ...parameters: P) => CompiledQuery<R> {
  let compiled: { readonly query: CompiledQuery<R>; readonly places: readonly number[] } | undefined;
  return (db, ...parameters) => {
    compiled ??= compileWithPlaceholders(db, build, parameters.length);
    const { query, places } = compiled;
    const values = query.parameters.map((value, index) => (places[index] === -1 ? value : parameters[places[index] ?? -1]));
    return { ...query, parameters: values };
  };
}

function compileWithPlaceholders<P extends readonly unknown[], R>(
  db: Db,
  build: (db: Db, ...parameters: P) => Compilable<R>,
  count: number,
): { readonly query: CompiledQuery<R>; readonly places: readonly number[] } {
  const placeholders = Array.from({ length: count }, () => new Placeholder());
  const query = build(db, ...(placeholders as unknown as P)).compile();
  const places = query.parameters.map((value) => placeholders.indexOf(value as Placeholder));
  if (placeholders.some((_, index) => !places.includes(index))) throw new Error(`a parameter is missing in: ${query.sql}`);
  return { query, places };
}
