/** The audit passes sound books and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { inspect } from 'node:util';
import { invariants } from '../../packages/server/src/features/audit/invariants-repository.ts';
import { runAudit } from '../../packages/server/src/features/audit/run-audit.ts';
import { sealTransfers } from '../../packages/server/src/features/ledger/repository.ts';
import { privacyCorruptions } from '../accounts/corruptions.ts';
import { moveCorruptions, walletCorruptions } from '../agent-wallets/corruptions.ts';
import { savedSearchCorruptions } from '../discovery/corruptions.ts';
import { earnCorruptions } from '../earn/corruptions.ts';
import { registerAgent } from '../harness/agents.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import { registrationCorruptions } from '../onchain/corruptions.ts';
import { feedbackCorruptions } from '../onchain/feedback-corruptions.ts';
import { overdueCorruptions } from '../orders/overdue-corruptions.ts';
import { spendingCorruptions } from '../spending/corruptions.ts';
import { tokenCorruptions } from '../tokens/corruptions.ts';
import { feeCorruptions } from '../tokens/fees/corruptions.ts';
import { launchCorruptions } from '../tokens/launches/corruptions.ts';
import { webhookCorruptions } from '../webhooks/webhook-corruptions.ts';
import { bountyCorruptions } from './bounty-corruptions.ts';
import { corruptions } from './corruptions.ts';
import { disputeCorruptions } from './dispute-corruptions.ts';
import { chainOf, NETWORKS, openMoney, requireSound, USDC, until } from './money.ts';
import { orderCorruptions } from './order-corruptions.ts';
import { payForOrder, queueOutgoing, untilState } from './outgoing.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';
import { stakeCorruptions } from './stake-corruptions.ts';

/** Invariants that compare with the chains, each tested separately. */
const CHAIN_INVARIANTS = ['Q09', 'E08'];

suite('the audit', () => {
  let shared: SharedMoney;

  /** Payments, payout and refund on each network, a parked payout, an unclaimed transfer, an agent, all sealed; then no process works. */
  before(async () => {
    shared = await openSharedMoney({ hosted: true });
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
    assert.equal(await server.kill('SIGTERM'), 0);
    // The process may have booked an unclaimed transfer in its last moment, and a process seals its postings a little later.
    while ((await sealTransfers(shared.database.db, 1_000)) > 0);
  });
  after(() => shared.close());

  const brokenIn = async (database: SharedMoney['database']): Promise<string[]> =>
    (await runAudit(database, shared.chains)).findings.map(({ id }) => id);

  test('the audit finds nothing in sound books', async () => {
    const { database, drop } = await shared.copyBooks();
    const report = await runAudit(database, shared.chains);
    assert.deepEqual(report, { checked: invariants.length + 3, findings: [], unchecked: [] });
    await drop();
  });

  test('market reconcile seals what the last process posted and did not seal for more than ten minutes, and opens outflow (L06)', async () => {
    const { database, url, drop } = await shared.copyBooks();
    const money = await openMoney({ database, chains: shared.chains });
    try {
      await payForOrder(money, await createPayer(shared, 'base-mainnet'), 2n * USDC);
      await database.pool.query(`update market_clock set offset_ms = offset_ms + 20 * 60 * 1000`);
      assert.deepEqual(await brokenIn(database), ['L06']);
      const { ended, output } = runMarketCommand(['reconcile'], { ...shared.settings, DATABASE_URL: url });
      assert.equal(await ended, 0, output());
      assert.match(output(), /Outflow is open\./);
      assert.deepEqual(await brokenIn(database), []);
    } finally {
      money.clock.stop();
      await drop();
    }
  });

  for (const { what, breaks, sql } of some(corruptions, 6)) {
    test(`the audit reports ${what} (${breaks})`, async () => {
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
    test(`the audit passes money that has just arrived on ${network}, and reports it if it is unbooked after an hour (Q09)`, async () => {
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
        inspect(findings, { depth: 4 }),
      );
    });
  }

  for (const network of NETWORKS) {
    test(`the audit reports money that left ${network} without a ledger entry (Q09)`, async () => {
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

  test('every invariant of the audit has a corruption test', () => {
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
