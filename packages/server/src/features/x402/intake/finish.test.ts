/** Two processes finish one payment: a transaction sent by one is never lost because the other failed. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import type { Settled } from '../../../platform/facilitator/facilitator.ts';
import type { X402Context } from '../x402-context.ts';
import { finishPayment } from './finish.ts';
import { claimPaymentKey, findPayment, type PaymentRow } from './repository.ts';

const CAIP2 = 'solana:test';
const refused: Settled = { state: 'failed', reason: 'transaction_simulation_failed', message: 'No.' };

suite('a payment that two processes finish', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let made = 0;
  before(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: { ...testDatabase.connection }, poolSize: 2, onError: () => undefined });
  });
  after(async () => {
    await database.close();
    await testDatabase.drop();
  });

  async function claim(): Promise<PaymentRow> {
    made += 1;
    const key = { caip2: CAIP2, alias: `svm:${made}` };
    const isOurs = await database.transaction((tx) =>
      claimPaymentKey(tx, {
        ...key,
        network: 'solana-mainnet',
        purpose: 'x402',
        subjectId: `ord_${made}`,
        fingerprint: Buffer.alloc(32),
        request: '{}',
        version: 2,
        payload: '{}',
        requirement: '{}',
        amountMicros: 5n,
        payer: 'payer',
      }),
    );
    assert.ok(isOurs);
    const row = await findPayment(database.db, key);
    assert.ok(row);
    return row;
  }

  /** The other process signs and keeps a transaction while ours looks. */
  const otherSends = async (row: PaymentRow, reference: string) => {
    await database.db
      .updateTable('x402Payments')
      .set({ transaction: reference, signedBytes: 'bytes' })
      .where('alias', '=', row.alias)
      .execute();
  };

  /** A facilitator that answers with these, in turn. */
  function contextOf(...answers: readonly (() => Promise<Settled>)[]): X402Context {
    const queue = [...answers];
    const settle = async () => {
      const next = queue.shift();
      assert.ok(next, 'asked more often than expected');
      return await next();
    };
    return { database, facilitator: { settle, findPreempted: async () => undefined } } as unknown as X402Context;
  }

  const stateOf = async ({ alias }: PaymentRow) => {
    const row = await findPayment(database.db, { caip2: CAIP2, alias });
    return [row?.state, row?.transaction];
  };

  test('a payment that two processes finish stays open with the transaction of the other process, and is checked once more', async () => {
    const row = await claim();
    const finished = await finishPayment(
      contextOf(
        async () => {
          await otherSends(row, 'theirs');
          return refused;
        },
        async () => ({ state: 'unknown', reference: 'theirs', reason: 'settlement_pending' }),
      ),
      row,
    );
    assert.deepEqual([finished.state, await stateOf(row)], ['unknown', ['unknown', 'theirs']]);
  });

  test('a payment that two processes finish fails when nothing was sent, or when the only transaction sent has failed', async () => {
    const unsent = await claim();
    assert.equal(
      (
        await finishPayment(
          contextOf(async () => refused),
          unsent,
        )
      ).state,
      'failed',
    );
    assert.deepEqual(await stateOf(unsent), ['failed', null]);
    const sent = await claim();
    const inVain = contextOf(async () => {
      await otherSends(sent, 'ours');
      return { ...refused, reference: 'ours' };
    });
    assert.equal((await finishPayment(inVain, sent)).state, 'failed');
    assert.deepEqual(await stateOf(sent), ['failed', null]);
  });

  test('a payment that two processes finish is unknown when the second check decides nothing either', async () => {
    const row = await claim();
    await otherSends(row, 'theirs');
    const finished = await finishPayment(
      contextOf(
        async () => refused,
        async () => refused,
      ),
      row,
    );
    assert.deepEqual(finished, { state: 'unknown', reference: 'theirs' });
    assert.deepEqual(await stateOf(row), ['settling', 'theirs']);
  });

  test('a payment that failed frees its key, and a new attempt starts without the old transaction', async () => {
    const row = await claim();
    await finishPayment(
      contextOf(async () => refused),
      row,
    );
    const again = await database.transaction((tx) =>
      claimPaymentKey(tx, {
        ...row,
        request: '{}',
        payload: '{}',
        requirement: '{}',
        subjectId: 'ord_again',
      }),
    );
    assert.equal(again, true);
    assert.deepEqual(await stateOf(row), ['settling', null]);
  });
});
