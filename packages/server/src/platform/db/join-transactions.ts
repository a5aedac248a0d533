/**
 * Joins concurrent transactions: one commit, one lock of a busy feed's counter and one notification for all of them. Each runs in a
 * savepoint, so that a refusal undoes only its own writes. When the joined transaction was rolled back as a whole, each runs again alone.
 * When the connection breaks during the commit, none runs again: the commit may have succeeded.
 */
import { AbortedTransactionError } from 'kysely';
import pg from 'pg';
import type { Tx } from './handles.ts';
import { collectLastWrites, markJoined, performLastWrites } from './last-writes.ts';
import { deferred } from './pipelined-driver.ts';

type Work = (tx: Tx) => Promise<unknown>;

interface Waiting {
  readonly work: Work;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** Begins a transaction, and runs the work again when PostgreSQL asks for a retry. */
export type BeginTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

const MOST_JOINED = 32;
/** While one batch commits, the next collects. */
const MOST_RUNNING = 2;

export interface JoinerOptions {
  readonly begin: BeginTransaction;
  /** As `begin`, and also performs the last writes of the work. */
  readonly alone: BeginTransaction;
  /** Whether the same work may succeed after this failure. */
  readonly isRetryable: (error: unknown) => boolean;
}

export function createJoiner({ begin, alone, isRetryable }: JoinerOptions): BeginTransaction {
  const waiting: Waiting[] = [];
  let running = 0;

  async function work(): Promise<void> {
    for (let batch = waiting.splice(0, MOST_JOINED); batch.length > 0; batch = waiting.splice(0, MOST_JOINED)) {
      if (batch.length === 1) await settle(batch, (one) => alone(one.work));
      else await runJoined(batch);
    }
    running -= 1;
  }

  async function settle(batch: readonly Waiting[], run: (one: Waiting) => Promise<unknown>): Promise<void> {
    await Promise.all(batch.map((one) => run(one).then(one.resolve, one.reject)));
  }

  async function runJoined(batch: readonly Waiting[]): Promise<void> {
    let outcomes: readonly Outcome[] | undefined;
    try {
      await begin(async (tx) => {
        outcomes = undefined;
        outcomes = await runInTurn(tx, batch);
      });
    } catch (error) {
      const wasCommitSent = outcomes !== undefined;
      return await settle(batch, (one) => (wasCommitSent && !isRolledBack(error) ? Promise.reject(error) : alone(one.work)));
    }
    const again: Waiting[] = [];
    for (const [index, one] of batch.entries()) {
      const outcome = outcomes?.[index];
      if (outcome !== undefined && 'result' in outcome) one.resolve(outcome.result);
      else if (isRetryable(outcome?.error)) again.push(one);
      else one.reject(outcome?.error);
    }
    await settle(again, (one) => alone(one.work));
  }

  return <T>(task: (tx: Tx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work: task, resolve: resolve as (result: unknown) => void, reject });
      if (running >= MOST_RUNNING) return;
      running += 1;
      // Starts after this turn of the event loop, to collect all work of the turn.
      setImmediate(() => void work());
    });
}

/** An ERROR of PostgreSQL rolled the transaction back. A FATAL error ends the session, which may have committed just before. */
function isRolledBack(error: unknown): boolean {
  return error instanceof AbortedTransactionError || (error instanceof pg.DatabaseError && error.severity === 'ERROR');
}

async function runInTurn(tx: Tx, batch: readonly Waiting[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const allWrites: Parameters<typeof performLastWrites>[1][number][] = [];
  for (const [index, { work }] of batch.entries()) {
    // Each savepoint has its own name. If a deferred statement fails after its work has ended, the next rollback finds no savepoint.
    // So the whole transaction fails, instead of undoing work that counts as done.
    const savepoint = `savepoint joined_${index}`;
    await tx.executeQuery(deferred(savepoint, []));
    try {
      // A second handle of the same transaction, whose last writes are dropped if the work fails.
      const own = tx.withTables<Record<never, never>>() as unknown as Tx;
      markJoined(own);
      const { result, writes } = await collectLastWrites(own, work);
      await tx.executeQuery(deferred(`release ${savepoint}`, []));
      allWrites.push(writes);
      outcomes.push({ result });
    } catch (error) {
      await tx.executeQuery(deferred(`rollback to ${savepoint}`, []));
      outcomes.push({ error });
    }
  }
  await performLastWrites(tx, allWrites);
  return outcomes;
}
