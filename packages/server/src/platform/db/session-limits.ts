/**
 * Time limits, set when a connection opens and when each transaction begins. They are not startup parameters, because pgbouncer
 * refuses unknown ones. Behind a pooler in transaction mode each transaction may get another session, so it sets its own limits
 * and uses no named prepared statements.
 */
import type pg from 'pg';

export const CONNECT_LIMIT_MS = 10_000;

/**
 * A statement that runs this long is a bug or an attack; money must not wait for it. A statement that waits this long for a lock meets
 * somebody's maintenance: its request answers 503 and frees the connection.
 */
const LIMITS = { statement_timeout: 15_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 30_000 };

const limitsBy = (command: 'set' | 'set local'): string =>
  Object.entries(LIMITS)
    .map(([name, ms]) => `${command} ${name} = ${ms}`)
    .join('; ');

/** In one message with BEGIN, so that the limits cost no round trip. */
export const BEGIN_WITH_LIMITS = `begin; ${limitsBy('set local')}`;

export async function beginSession(client: pg.ClientBase): Promise<void> {
  const text = `${limitsBy('set')}; select pg_backend_pid() as pid`;
  // Several statements in one message give several results, which the types do not describe.
  const results = (await client.query({ text, query_timeout: CONNECT_LIMIT_MS } as pg.QueryConfig)) as unknown as pg.QueryResult[];
  const { processID } = client as unknown as { processID: number | null };
  // PostgreSQL states its process id when we connect; a pooler states a number of its own.
  if (results.at(-1)?.rows[0]?.pid !== processID) leaveNamesOut(client);
}

/** Removes statement names: behind a pooler, a prepared statement may be missing in the next session, or exist already. */
function leaveNamesOut(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
  const unnamed = (first: unknown, ...others: readonly unknown[]): unknown =>
    query(isNamed(first) ? { ...first, name: undefined } : first, ...others);
  client.query = unnamed as typeof client.query;
}

const isNamed = (first: unknown): first is { readonly name: string } => typeof first === 'object' && first !== null && 'name' in first;
