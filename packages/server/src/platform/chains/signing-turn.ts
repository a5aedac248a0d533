/**
 * One signer at a time per key, over all processes: nonces are read, used and sent within one turn. The work writes in its own
 * transactions. Within a process, turns queue before they take a connection, or waiting signers would empty the pool.
 */
import type pg from 'pg';
import { holdLock } from '../db/held-lock.ts';

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
  const turn = await holdLock(pool, `signing:${key}`);
  try {
    return await work();
  } finally {
    await turn.release();
  }
}
