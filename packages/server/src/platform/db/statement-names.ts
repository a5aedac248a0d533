/**
 * Names statements by their text, so that PostgreSQL parses each once per connection and can keep its plan. A text gets its name when it is
 * seen a second time. Texts that occur once, such as lists of varying length, are not worth a plan on every connection.
 */
import pg from 'pg';

export interface StatementNames {
  /** Undefined: send the statement without a name. */
  nameOf(text: string): string | undefined;
  /** Makes every connection prepare its statements again, under new names. */
  renameAll(): void;
}

/**
 * Marks a statement whose best plan depends on its values, such as the searched word. A kept plan ignores the values, and would read half
 * of a large table for a frequent word.
 */
export const PLAN_ANEW = '/* plan anew */';

const MOST_NAMED = 250;
const MOST_SEEN = 5_000;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const seenOnce = new Set<string>();
  let generation = 0;
  return {
    nameOf(text) {
      if (text.includes(PLAN_ANEW)) return undefined;
      const known = names.get(text);
      if (known !== undefined || names.size >= MOST_NAMED) return known;
      if (!seenOnce.delete(text)) {
        if (seenOnce.size >= MOST_SEEN) seenOnce.clear();
        seenOnce.add(text);
        return undefined;
      }
      const name = `m${generation}_${names.size}`;
      names.set(text, name);
      return name;
    },
    renameAll() {
      generation += 1;
      names.clear();
    },
  };
}

/**
 * True when a migration changed the result columns of a prepared statement, which this connection then refuses for ever. The error code
 * alone also has other causes.
 */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code, routine } = error;
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
