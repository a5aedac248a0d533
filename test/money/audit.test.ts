/** The audit passes sound books and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { invariants } from '../../packages/server/src/features/audit/invariants-repository.ts';
import { runAudit } from '../../packages/server/src/features/audit/run-audit.ts';
import { privacyCorruptions } from '../closing/corruptions.ts';
import { earnCorruptions } from '../earn/corruptions.ts';
import { feeCorruptions } from '../fees/corruptions.ts';
import { registerAgent } from '../harness/agents.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import { launchCorruptions } from '../launches/corruptions.ts';
import { registrationCorruptions } from '../onchain-identity/corruptions.ts';
import { feedbackCorruptions } from '../onchain-identity/feedback-corruptions.ts';
import { overdueCorruptions } from '../orders/overdue-corruptions.ts';
import { savedSearchCorruptions } from '../saved-searches/corruptions.ts';
import { spendingCorruptions } from '../spending/corruptions.ts';
import { tokenCorruptions } from '../tokens/corruptions.ts';
import { moveCorruptions, walletCorruptions } from '../wallets/corruptions.ts';
import { webhookCorruptions } from '../webhooks/webhook-corruptions.ts';
import { bountyCorruptions } from './bounty-corruptions.ts';
import { corruptions } from './corruptions.ts';
import { disputeCorruptions } from './dispute-corruptions.ts';
import { chainOf, NETWORKS, requireSound, USDC, until } from './money.ts';
import { orderCorruptions } from './order-corruptions.ts';
import { payForOrder, queueOutgoing, untilState } from './outgoing.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';
import { stakeCorruptions } from './stake-corruptions.ts';

/** Checked against the chains, each by a test of its own. */
const CHAIN_INVARIANTS = ['Q09', 'E08'];

suite('the audit', () => {
  let shared: SharedMoney;

  /** Real payments, a payout and a refund on each network, one parked payout, one unclaimed transfer, one agent, all sealed; then nobody works any more. */
  before(async () => {
    shared = await openSharedMoney();
    const { money } = shared;
    const server = await shared.startServer();
    await registerAgent(server.url);
    await Promise.all(
      NETWORKS.map(async (network) => {
        const payer = await createPayer(shared, network);
        const [first, second] = [await payForOrder(money, payer, 5n * USDC), await payForOrder(money, payer, 3n * USDC)];
        await payForOrder(money, payer, 2n * USDC);
        const { id: paid } = await queueOutgoing(money, { purpose: 'payout', network, subjectId: first, amountMicros: 5n * USDC });
        const { id: refunded } = await queueOutgoing(money, { purpose: 'refund', network, subjectId: second, amountMicros: 3n * USDC });
        await untilState(money, paid, 'confirmed');
        await untilState(money, refunded, 'confirmed');
        await payer.pay(chainOf(shared, network).treasury, USDC);
      }),
    );
    const network = 'base-mainnet';
    const subjectId = await payForOrder(money, await createPayer(shared, network), 4n * USDC);
    const destination = chainOf(shared, network).treasury;
    const parked = await queueOutgoing(money, { purpose: 'payout', network, subjectId, amountMicros: 4n * USDC, destination });
    await untilState(money, parked.id, 'parked');
    await requireSound(money);
    await until('everything being sealed', async () => {
      const { rowCount } = await shared.database.pool.query('select 1 from ledger_unsealed');
      return rowCount === 0 ? true : undefined;
    });
    assert.equal(await server.kill('SIGTERM'), 0);
  });
  after(() => shared.close());

  const brokenIn = async (database: SharedMoney['database']): Promise<string[]> =>
    (await runAudit(database, shared.chains)).findings.map(({ id }) => id);

  test('finds nothing in a sound book', async () => {
    const { database, drop } = await shared.copyBooks();
    const report = await runAudit(database, shared.chains);
    assert.deepEqual(report, { checked: invariants.length + 3, findings: [], unchecked: [] });
    await drop();
  });

  for (const { what, breaks, sql } of some(corruptions, 6)) {
    test(`reports ${what} (${breaks})`, async () => {
      const { database, drop } = await shared.copyBooks();
      try {
        let changed = 0;
        for (const statement of sql) changed = (await database.pool.query(statement)).rowCount ?? 0;
        assert.ok(changed > 0, 'nothing was spoilt');
        const broken = await brokenIn(database);
        assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
      } finally {
        await drop();
      }
    });
  }

  for (const network of some(NETWORKS, 2)) {
    test(`passes money that has just arrived on ${network}, and reports it when it is unbooked after an hour (Q09)`, async () => {
      const { treasury } = chainOf(shared, network);
      await (await createPayer(shared, network)).pay(treasury, USDC, 'confirmed');
      const { database, drop } = await shared.copyBooks();
      assert.deepEqual(await brokenIn(database), []);
      await database.pool.query('update market_clock set offset_ms = offset_ms + 2 * 3600 * 1000');
      const { findings } = await runAudit(database, shared.chains);
      await drop();
      const found = findings.find(({ id }) => id === 'Q09')?.rows ?? [];
      assert.ok(
        found.some((row) => row['network'] === network),
        JSON.stringify(findings),
      );
    });
  }

  for (const network of NETWORKS) {
    test(`reports money that left ${network} without a ledger entry (Q09)`, async () => {
      const chain = chainOf(shared, network);
      const transfer = { intentId: `behind_${network}`, destination: freshAddress(network), asset: 'usdc', amount: 1n } as const;
      await chain.broadcast(await chain.signTransfer(transfer));
      await until('the transfer', async () => ((await chain.readBalances(transfer.destination)).usdcMicros === 1n ? true : undefined));
      const { database, drop } = await shared.copyBooks();
      const { findings } = await runAudit(database, shared.chains);
      await drop();
      assert.deepEqual(
        findings.map(({ id }) => id),
        ['Q09'],
      );
      assert.ok(findings[0]?.rows.some((row) => row['network'] === network));
    });
  }

  test('has a corruption test for every invariant it checks', () => {
    const proven = new Set([
      ...[
        ...corruptions,
        ...disputeCorruptions,
        ...orderCorruptions,
        ...bountyCorruptions,
        ...stakeCorruptions,
        ...overdueCorruptions,
        ...webhookCorruptions,
        ...savedSearchCorruptions,
        ...walletCorruptions,
        ...moveCorruptions,
        ...privacyCorruptions,
        ...tokenCorruptions,
        ...launchCorruptions,
        ...registrationCorruptions,
        ...feedbackCorruptions,
        ...feeCorruptions,
        ...earnCorruptions,
        ...spendingCorruptions,
      ].map(({ breaks }) => breaks),
      ...CHAIN_INVARIANTS,
    ]);
    assert.deepEqual([...proven].sort(), [...invariants.map(({ id }) => id), ...CHAIN_INVARIANTS].sort());
  });
});
