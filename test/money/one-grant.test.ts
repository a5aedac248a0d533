/** One transfer buys once, also when presented in parallel to several processes. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { escrow, readBalance } from '../../packages/server/src/features/ledger/index.ts';
import { createPayer } from '../harness/payers.ts';
import { some, times } from '../harness/thoroughness.ts';
import { chainOf, NETWORKS, requireSound, USDC } from './money.ts';
import { type ClaimWorker, openSharedMoney, type SharedMoney } from './shared-money.ts';

const PER_PROCESS = times(10, 25);

suite(`${2 * PER_PROCESS} presentations of one transfer through two processes`, () => {
  let shared: SharedMoney;
  let workers: readonly ClaimWorker[];
  before(async () => {
    shared = await openSharedMoney();
    workers = await Promise.all([shared.startWorker(), shared.startWorker()]);
  });
  after(() => shared.close());

  const presentEverywhere = async (request: Omit<Parameters<ClaimWorker['present']>[0], 'subjectIds'>, name: string) => {
    const outcomes = await Promise.all(
      workers.map((worker, process) =>
        worker.present({ ...request, subjectIds: Array.from({ length: PER_PROCESS }, (_, index) => `${name}_${process}_${index}`) }),
      ),
    );
    return outcomes.flat();
  };

  for (const network of some(NETWORKS, 1)) {
    test(`M04: ${2 * PER_PROCESS} presentations of one transfer on ${network} through two processes grant exactly one claim`, async () => {
      const payer = await createPayer(shared, network);
      const reference = await payer.pay(chainOf(shared, network).treasury, 5n * USDC);
      const outcomes = await presentEverywhere({ network, reference, expectedMicros: String(5n * USDC) }, `ord_${network}`);
      assert.equal(outcomes.length, 2 * PER_PROCESS);
      assert.equal(outcomes.filter((outcome) => outcome === 'granted').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'payment_already_used').length, 2 * PER_PROCESS - 1);
      const claims = await shared.database.db.selectFrom('paymentClaims').selectAll().where('reference', '=', reference).execute();
      assert.equal(claims.length, 1);
      assert.equal(await readBalance(shared.database.db, escrow(network, claims[0]?.subjectId ?? '')), 5n * USDC);
    });
  }

  test(`${2 * PER_PROCESS} presentations of a transfer that is too small grant none, and leave it unclaimed`, async () => {
    const payer = await createPayer(shared, 'base-mainnet');
    const reference = await payer.pay(chainOf(shared, 'base-mainnet').treasury, 5n * USDC - 1n);
    const request = { network: 'base-mainnet', reference, expectedMicros: String(5n * USDC) } as const;
    const outcomes = await presentEverywhere(request, 'ord_short');
    assert.deepEqual([...new Set(outcomes)], ['payment_underpaid']);
  });

  test('the books are sound after many presentations of one transfer', async () => {
    await requireSound(shared.money);
  });
});
