/**
 * One signer at a time per key, over all processes: nonces are read, used and announced in one go. Held on a connection, not
 * in a transaction. Within a process turns queue up before they ask for a connection, or waiting signers would empty the pool.
 */
import type pg from 'pg';

const queues = new Map<string, Promise<unknown>>();

export async function takeSigningTurn<T>(pool: pg.Pool, key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const turn = before.then(
    () => holdTurn(pool, key, work),
    () => holdTurn(pool, key, work),
  );
  queues.set(key, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(key) === turn) queues.delete(key);
  }
}

async function holdTurn<T>(pool: pg.Pool, key: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`signing:${key}`]);
    return await work();
  } finally {
    // Closing the connection gives the turn back in every case, and with it the changed limit.
    client.release(true);
  }
}
