/** A lock over all processes, held on a connection of its own for as long as somebody wants it. However the holder dies, it is free again. */
import type pg from 'pg';

export interface HeldLock {
  /** Resolves when the connection broke, and with it the lock. */
  readonly lost: Promise<void>;
  release(): void;
}

/** Undefined when somebody else holds it. */
export async function tryHoldLock(pool: pg.Pool, name: string): Promise<HeldLock | undefined> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
    if (rows[0]?.held !== true) {
      client.release();
      return undefined;
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  const lost = new Promise<void>((resolve) => {
    client.once('error', () => resolve());
    client.once('end', () => resolve());
  });
  // Closing the connection gives the lock back in every case.
  return { lost, release: () => client.release(true) };
}
