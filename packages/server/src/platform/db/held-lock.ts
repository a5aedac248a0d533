/**
 * A lock across all processes, freed however its holder dies. It belongs to a transaction of its own, because a pooler such as pgbouncer
 * keeps a connection for a transaction, not for a session. That transaction has no snapshot and locks no row, so it blocks neither vacuum
 * nor other transactions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface HeldLock {
  /** Resolves when the connection broke, and the lock with it. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** Waiters return their connection between attempts; otherwise a small pooler would have none left for the holder's work. */
const WAIT_MS = 100;
const PAUSE_MS = 100;
const LOCK_NOT_AVAILABLE = '55P03';
/** A holder may wait long for a chain, so the time limits of requests do not apply. */
const BEGIN = `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = ${WAIT_MS}`;

/** Undefined when another process or caller holds the lock. */
export async function tryHoldLock(pool: pg.Pool, name: string): Promise<HeldLock | undefined> {
  return await ask(pool, async (client) => {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held', [name]);
    return rows[0]?.held === true;
  });
}

/** Waits until the lock is free. PostgreSQL serves waiters in order. */
export async function holdLock(pool: pg.Pool, name: string): Promise<HeldLock> {
  for (;;) {
    const lock = await ask(pool, (client) => waitForLock(client, name));
    if (lock !== undefined) return lock;
    await sleep(PAUSE_MS * Math.random());
  }
}

async function waitForLock(client: pg.PoolClient, name: string): Promise<boolean> {
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function ask(pool: pg.Pool, isGiven: (client: pg.PoolClient) => Promise<boolean>): Promise<HeldLock | undefined> {
  const client = await pool.connect();
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const lose = (): void => resolve();
  client.once('error', lose);
  client.once('end', lose);
  const release = async (): Promise<void> => {
    let failure: Error | undefined;
    try {
      await client.query('rollback');
    } catch (error) {
      failure = error as Error;
    }
    client.off('error', lose);
    client.off('end', lose);
    // Closing a broken connection also frees the lock.
    client.release(failure);
  };
  try {
    await client.query(BEGIN);
    if (await isGiven(client)) return { lost, release };
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}
